/**
 * Finds the elements of a small document that page-level signals use, as the plain data that `@mannerly/robots` takes.
 */
import type { parseRobotsMeta } from '@mannerly/robots/page';
import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse } from 'parse5';

/** A meta element, as `parseRobotsMeta` takes it. */
export type PageMeta = Parameters<typeof parseRobotsMeta>[0][number];

type Element = DefaultTreeAdapterMap['element'];
type Parent = DefaultTreeAdapterMap['parentNode'];

/** The meta elements, link elements and anchors of a document. */
export interface PageElements {
  readonly metas: readonly PageMeta[];
  readonly linkElements: readonly {
    readonly rel: readonly string[];
    readonly name: string | null;
    readonly href: string | null;
    readonly content: string | null;
  }[];
  readonly anchors: readonly { readonly rel: string; readonly href: string }[];
}

/** Reads a document. */
export function elementsOf(html: string): PageElements {
  const all = descendants(parse(html));
  const named = (tag: string) => all.filter(({ tagName }) => tagName === tag).map(attributesOf);
  return {
    metas: named('meta').map(({ name = '', content, value }) => ({ name, content, value })),
    linkElements: named('link').map(({ rel = '', name = null, href = null, content = null }) => ({
      rel: rel.split(/\s+/),
      name,
      href,
      content,
    })),
    anchors: named('a').map(({ rel = '', href = '' }) => ({ rel, href })),
  };
}

function descendants(parent: Parent): Element[] {
  return defaultTreeAdapter
    .getChildNodes(parent)
    .filter((node) => defaultTreeAdapter.isElementNode(node))
    .flatMap((element) => [element, ...descendants(element)]);
}

function attributesOf(element: Element): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]));
}
