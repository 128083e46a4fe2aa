// A page's structured data for machines: JSON-LD, microdata, RDFa Lite, OpenGraph. All but the last are read by
// `@marbec/web-auto-extractor`, which users install. Nothing is resolved, merged or trusted.

import type { JsonValue } from '@mannerly/frontier';
import { loadPeer } from '../optional-peer.js';
import { MAX_ITEM_TYPE_CHARS, MAX_STRUCTURED_BLANKS, MAX_STRUCTURED_CHARS, MAX_STRUCTURED_DEPTH } from './limits.js';
import { readElements } from './read-elements.js';

/** One thing that a page describes: `@type`, `@context` and its properties. */
export type StructuredItem = Readonly<Record<string, JsonValue>>;

/** The structured data of a page, as written: URLs are not resolved. */
export interface StructuredData {
  /** The objects of `script type="application/ld+json"` that have a type, with those of `@graph` listed separately. */
  readonly jsonLd: readonly StructuredItem[];
  readonly microdata: readonly StructuredItem[];
  /** RDFa Lite. */
  readonly rdfa: readonly StructuredItem[];
  /** Values by property, in order: `og:image` may have several. `article:…`, `twitter:…` and the like too. */
  readonly openGraph: Readonly<Record<string, readonly string[]>>;
  /** What could not be read, such as invalid JSON-LD. */
  readonly problems: readonly string[];
}

interface Extracted {
  readonly jsonld: ByType;
  readonly microdata: ByType;
  readonly rdfa: ByType;
  readonly errors?: readonly { readonly format: string; readonly message: string }[];
}
type ByType = Readonly<Record<string, readonly StructuredItem[]>>;
interface Extractor {
  readonly default: new (options: object) => { parse(html: string): Extracted };
}

/** Namespaces of OpenGraph and of the card format that shares its form. */
const OPEN_GRAPH = /^(?:og|article|book|profile|music|video|product|place|twitter|fb):/i;

/** Types that are too long, up to the end of their tag, which ends every value. */
const LONG_TYPE = new RegExp(`(?:itemtype|typeof)=[^>]{${MAX_ITEM_TYPE_CHARS},}`, 'g');
const LONG_BLANK = new RegExp(`(?<!\\s)\\s{${MAX_STRUCTURED_BLANKS},}`, 'g');

/** @throws MannerlyError (rejects) `peer-missing` */
export async function readStructuredData(html: string): Promise<StructuredData> {
  const library = await loadPeer<Extractor>('@marbec/web-auto-extractor', '`page.structured`');
  let found: Extracted;
  try {
    found = new library.default({}).parse(html.replace(LONG_TYPE, '').replace(LONG_BLANK, ' '));
  } catch (error) {
    // A page may name a type `__proto__`, which the library looks up in a plain object.
    return { jsonLd: [], microdata: [], rdfa: [], openGraph: {}, problems: [`unreadable: ${String(error)}`] };
  }
  const { jsonld, microdata, rdfa, errors = [] } = found;
  const problems = errors.map(({ format, message }) => `${format}: ${message}`);
  const budget = { chars: MAX_STRUCTURED_CHARS };
  const itemsWithinBudget = (format: string, byType: ByType): StructuredItem[] => {
    // An item with several types is listed under each.
    const items = [...new Set(Object.values(byType).flat())];
    const kept = items.filter((item) => fits(item, budget));
    if (kept.length < items.length) problems.push(`${format}: items too large: ${items.length - kept.length}`);
    return kept;
  };
  return {
    jsonLd: itemsWithinBudget('jsonld', jsonld),
    microdata: itemsWithinBudget('microdata', microdata),
    rdfa: itemsWithinBudget('rdfa', rdfa),
    openGraph: readOpenGraph(html),
    problems,
  };
}

/** Metas in the head and the body: the tag of the head is optional, and the library reads metas only within it. */
function readOpenGraph(html: string): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  readElements(html, {
    onopentag(element, { property = '', name = '', content }) {
      const key = [property, name].find((each) => OPEN_GRAPH.test(each));
      if (element !== 'meta' || key === undefined || content === undefined) return;
      const values = found[key] ?? [];
      values.push(content);
      found[key] = values;
    },
  });
  return found;
}

/** Takes an item if it fits. One with two names is the value of both: as JSON, a few nested ones exceed all memory. */
function fits(value: unknown, budget: { chars: number }, depth = 0): boolean {
  budget.chars -= 1 + (typeof value === 'string' ? value.length : 0);
  if (budget.chars < 0 || depth > MAX_STRUCTURED_DEPTH) return false;
  if (typeof value !== 'object' || value === null) return true;
  for (const [name, each] of Object.entries(value)) {
    budget.chars -= name.length;
    if (!fits(each, budget, depth + 1)) return false;
  }
  return true;
}
