// An RSL document as it is read: what it permits, prohibits and requires, by path. Anything that RSL 1.0 does not allow
// makes the whole document non-conformant, because half of an author's terms are different terms (licensing §3).

import { Parser } from 'htmlparser2';
import {
  MAX_LICENSE_ATTRIBUTES,
  MAX_LICENSE_BYTES,
  MAX_LICENSE_CONTENTS,
  MAX_LICENSE_DAYS,
  MAX_LICENSE_DEPTH,
  MAX_LICENSE_NAMESPACES,
  MAX_LICENSE_REMARKS,
  MAX_LICENSE_TEXT_CHARS,
  MAX_LICENSE_TOKENS,
  MAX_LICENSE_URL_CHARS,
  MAX_LICENSES_PER_CONTENT,
} from './limits.js';

/** The lists of words that a licence may have: by use, by responsible party, by its country. */
type LicenseScope = Readonly<Partial<Record<'usage' | 'user' | 'geo', readonly string[]>>>;

/** The price of a licence. Amounts are text: they are shown, never summed. */
interface LicensePayment {
  /** As written; `free` if nothing is required. */
  readonly type: string;
  /** A decimal number and an ISO 4217 code, `0.015 USD`; `null` if none is named, or it cannot be read. */
  readonly amount: string | null;
  /** URLs of terms, `standard` and `custom`. They are never fetched. */
  readonly terms: readonly string[];
  /** Media types of offers, such as `application/x402+json`. */
  readonly accepts: readonly string[];
}

export interface LicenseElement {
  readonly permits: LicenseScope;
  readonly prohibits: LicenseScope;
  readonly payment: LicensePayment;
  /** Whether it has a `legal` or `reporting` element: something must be agreed to or done. */
  readonly hasDuties: boolean;
}

export interface LicensedContent {
  /** A path pattern; in a page also absolute, or empty for the page itself. */
  readonly url: string;
  /** Where a licence must be obtained; `null` if nowhere. Never fetched. */
  readonly server: string | null;
  readonly isEncrypted: boolean;
  readonly licenses: readonly LicenseElement[];
}

export interface LicenseDocument {
  readonly kind: 'read';
  readonly maxAgeDays: number;
  /** Whether its lists have commas or words of RSL 0.9: it is then read as that (C4). */
  readonly isVersion09: boolean;
  readonly contents: readonly LicensedContent[];
  /** Its other statements, for people: `copyright`, `terms`, `legal` and similar, as `name: text`. */
  readonly remarks: readonly string[];
}

/** A document, or why it cannot be read. `isTemporary`: it was not received, so it says neither yes nor no. */
export type LicenseReading =
  | LicenseDocument
  | { readonly kind: 'unreadable'; readonly reason: string; readonly isTemporary?: true };

const NAMESPACE = 'https://rslstandard.org/rsl';
const REMARKS = ['legal', 'copyright', 'terms', 'alternate', 'schema', 'reporting'];
/** The permitted child elements of each element. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  '': ['rsl'],
  rsl: ['content'],
  content: ['license', ...REMARKS],
  license: ['permits', 'prohibits', 'payment', ...REMARKS],
  payment: ['standard', 'custom', 'amount', 'accepts'],
};
const SCOPES = ['usage', 'user', 'geo'] as const;
/** The words that a list may have, by its type. */
const WORDS: Readonly<Record<(typeof SCOPES)[number], RegExp>> = {
  usage: /^(?:all|search|ai-(?:all|train|input|index))$/,
  user: /^(?:commercial|non-commercial|education|government|personal)$/,
  geo: /^[a-z]{2}$/,
};
/** Uses of RSL 0.9, whose templates many sites still serve, and their names in 1.0 (C4). */
const FORMER_USES = new Map([
  ['train-ai', 'ai-train'],
  ['train-genai', 'ai-train'],
  ['ai-use', 'ai-input'],
  ['ai-summarize', 'ai-input'],
]);
/** What a content covers: nothing (the page that contains it), a path pattern, or a URL without `*` in its host. */
const PATTERN = /^(?:|[/*].*|https?:\/\/[^/?#*]+(?:[/?#].*)?)$/is;
const FREE: LicensePayment = { type: 'free', amount: null, terms: [], accepts: [] };

type Attributes = Readonly<Record<string, string>>;

interface RslElement {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: RslElement[];
  /** Its own text; white space is collapsed when it closes. */
  text: string;
}

/** Ends the reading of a document that is not conformant. It never leaves this file. */
class Fault extends Error {}

function fail(reason: string): never {
  throw new Fault(reason);
}

/** Reads a document. @param text - Decoded. @throws Never. The time is linear in its length. */
export function readLicenseDocument(text: string): LicenseReading {
  try {
    if (Buffer.byteLength(text) > MAX_LICENSE_BYTES) fail(`more than ${MAX_LICENSE_BYTES} bytes`);
    return readDocument(parseElements(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'unreadable', reason: error.message };
  }
}

/** The elements of RSL, in document order. Other elements are left out, with all that they contain. */
function parseElements(xml: string): readonly RslElement[] {
  const elements: RslElement[] = [];
  /** `element`: `null` if it is left out. `namespaces`: those declared here or above, by prefix. */
  const open: { readonly element: RslElement | null; readonly namespaces: ReadonlyMap<string, string> }[] = [];
  let attributeCount = 0;
  let hasJustOpened = false;
  const parser = new Parser(
    {
      onattribute(_name, _value, quote) {
        if (!quote) fail('not XML: an attribute without quotes');
        attributeCount += 1;
      },
      onopentag(fullName, attributes) {
        if (attributeCount > MAX_LICENSE_ATTRIBUTES) fail('an element has too many attributes');
        if (attributeCount !== Object.keys(attributes).length) fail('not XML: an attribute is repeated');
        if (open.length >= MAX_LICENSE_DEPTH) fail(`elements are nested deeper than ${MAX_LICENSE_DEPTH}`);
        attributeCount = 0;
        hasJustOpened = true;
        const outer = open.at(-1);
        const namespaces = namespacesOf(outer?.namespaces ?? new Map<string, string>(), attributes);
        const colon = fullName.indexOf(':');
        const name = fullName.slice(colon + 1);
        const isRsl = namespaces.get(fullName.slice(0, Math.max(colon, 0))) === NAMESPACE;
        if (outer === undefined && elements.length > 0) fail('not XML: a second root');
        if (outer === undefined && !(isRsl && name === 'rsl')) fail('the root is not rsl in its namespace');
        const element = isRsl && outer?.element !== null ? { name, attributes, children: [], text: '' } : null;
        open.push({ element, namespaces });
        if (element === null) return;
        const parent = outer?.element;
        if (!CHILDREN[parent?.name ?? '']?.includes(name))
          fail(limited(`${name} does not belong into ${parent?.name}`));
        parent?.children.push(element);
        elements.push(element);
      },
      ontext(chunk) {
        hasJustOpened = false;
        const inner = open.at(-1);
        if (inner === undefined && chunk.trim() !== '') fail('not XML: text outside the root');
        if (inner?.element) inner.element.text += chunk;
      },
      onclosetag(_name, isImplied) {
        const isSelfClosed = hasJustOpened && xml.endsWith('/>', parser.endIndex + 1);
        if (isImplied && !isSelfClosed) fail('not XML: an element is not closed');
        hasJustOpened = false;
        const element = open.pop()?.element;
        if (element) element.text = element.text.trim().replace(/\s+/g, ' ');
      },
      onprocessinginstruction(name) {
        if (name.startsWith('!')) fail('it has a document type, which is not read');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return elements;
}

function namespacesOf(inherited: ReadonlyMap<string, string>, attributes: Attributes): ReadonlyMap<string, string> {
  const declared = Object.entries(attributes).filter(([name]) => /^xmlns(?::|$)/.test(name));
  if (declared.length === 0) return inherited;
  const all = new Map(inherited);
  for (const [name, uri] of declared) all.set(name.slice('xmlns:'.length), uri.trim());
  if (all.size > MAX_LICENSE_NAMESPACES) fail('too many namespaces');
  return all;
}

function named(elements: readonly RslElement[], ...names: readonly string[]): RslElement[] {
  return elements.filter(({ name }) => names.includes(name));
}

function readDocument(elements: readonly RslElement[]): LicenseDocument {
  const [root] = elements;
  if (root === undefined) fail('not XML');
  if (root.children.length === 0) fail('no content');
  if (root.children.length > MAX_LICENSE_CONTENTS) fail(`more than ${MAX_LICENSE_CONTENTS} contents`);
  const remarks = named(elements, ...REMARKS).slice(0, MAX_LICENSE_REMARKS);
  return {
    kind: 'read',
    maxAgeDays: readMaxAge(root.attributes['max-age']),
    isVersion09: named(elements, 'permits', 'prohibits').some(
      ({ text }) => text.includes(',') || wordsOf(text).some((word) => FORMER_USES.has(word)),
    ),
    contents: root.children.map(readContent),
    remarks: remarks.map(({ name, attributes, text }) =>
      limited(`${name}: ${[...Object.values(attributes), text].join(' ').trim()}`),
    ),
  };
}

function readMaxAge(text: string | undefined): number {
  if (text === undefined) return MAX_LICENSE_DAYS;
  if (!/^0*[1-9]\d{0,5}$/.test(text.trim())) fail('max-age is not a number of days');
  return Math.min(Number(text), MAX_LICENSE_DAYS);
}

function readContent({ attributes: { url = '', server, encrypted }, children }: RslElement): LicensedContent {
  const licenses = named(children, 'license').map(readLicense);
  if (licenses.length === 0) fail('a content without license');
  if (licenses.length > MAX_LICENSES_PER_CONTENT) fail('a content has too many licences');
  const isEncrypted = encrypted?.trim() === 'true';
  if (!PATTERN.test(url.trim())) fail(limited(`a content at ${url}, which is neither a path nor a URL`));
  return { url: readUrl(url), server: server === undefined ? null : readUrl(server), isEncrypted, licenses };
}

function readLicense({ children }: RslElement): LicenseElement {
  const [payment, second] = named(children, 'payment');
  if (second !== undefined) fail('a license has two payments');
  return {
    permits: readScope(named(children, 'permits')),
    prohibits: readScope(named(children, 'prohibits')),
    payment: payment === undefined ? FREE : readPayment(payment),
    hasDuties: named(children, 'legal', 'reporting').length > 0,
  };
}

function readScope(lists: readonly RslElement[]): LicenseScope {
  const scope: { -readonly [Type in keyof LicenseScope]: LicenseScope[Type] } = {};
  for (const { name, attributes, text } of lists) {
    const type = SCOPES.find((each) => each === attributes['type']?.trim());
    if (type === undefined) fail('permits or prohibits without a known type');
    if (scope[type] !== undefined) fail(`two lists of type ${type}`);
    const words = wordsOf(text);
    if (words.length > MAX_LICENSE_TOKENS) fail(`a list has more than ${MAX_LICENSE_TOKENS} words`);
    scope[type] = words.map((word) => FORMER_USES.get(word) ?? word);
    // An unknown permission permits nothing; an unknown prohibition may be about any use.
    const unknown = name === 'prohibits' ? scope[type].find((word) => !WORDS[type].test(word)) : undefined;
    if (unknown !== undefined) fail(limited(`it prohibits ${unknown}, which RSL does not define`));
  }
  return scope;
}

/** The words of a list, in lower case; one more than the limit if there are more. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/, MAX_LICENSE_TOKENS + 2)
    .filter((word) => word !== '');
}

function readPayment({ attributes, children }: RslElement): LicensePayment {
  // RSL 0.9 has another name for it (C4). A payment without a type counts as one that must be negotiated.
  const type = limited(attributes['type']?.trim().replace(/^inference$/, 'use') || 'purchase');
  const terms = named(children, 'standard', 'custom').map(({ text }) => readUrl(text));
  const accepts = named(children, 'accepts').map((each) => limited(each.attributes['type'] ?? each.text));
  if (accepts.length + terms.length > MAX_LICENSE_TOKENS) fail('a payment has too many parts');
  const amounts = named(children, 'amount').map((each) => `${each.text} ${each.attributes['currency']?.trim()}`);
  const amount = amounts.findLast((each) => /^\d{1,15}(?:\.\d{1,9})? [A-Z]{3}$/.test(each)) ?? null;
  return { type, amount, terms, accepts };
}

function readUrl(text: string): string {
  const url = text.trim();
  if (url.length > MAX_LICENSE_URL_CHARS) fail(`a URL has more than ${MAX_LICENSE_URL_CHARS} characters`);
  return url;
}

function limited(text: string): string {
  return text.slice(0, MAX_LICENSE_TEXT_CHARS);
}
