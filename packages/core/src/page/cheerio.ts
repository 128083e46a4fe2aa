// cheerio, loaded when a handler first touches `page.$`.
//
// A getter cannot wait, so the module has to come synchronously; and loading it takes some sixty milliseconds and a few
// megabytes, which a crawl that never asks for a DOM should not pay, although it has handlers. Node's `require` does both:
// it loads cheerio's CommonJS build once, on the spot. (A preload at registration would make every crawl pay.)
//
// cheerio's own `load` makes a class for each document, which knows the document. What the engine keeps about a class is old from
// its first moment, and what is old stays until the next full collection, its document too: all of them were copied twice and
// then kept, which took half the time of a crawl that uses `page.$`. Here documents share a class (decisions/0020).

import { createRequire } from 'node:module';
import type { Cheerio, CheerioAPI, CheerioOptions } from 'cheerio';
import type { AnyNode } from 'domhandler';
import { createLeanTree } from './lean-tree.js';

type Load = (text: string, options: CheerioOptions) => CheerioAPI;
type LoadOne = (text: string) => CheerioAPI;

let loaders: Readonly<Record<'html' | 'xml', LoadOne>> | null = null;

/**
 * A document of cheerio's. Its `fn`, where plugins go, is the same for all documents of the process.
 *
 * @param text - The page, decoded.
 * @param isXml - Names keep their case and nothing is implied; otherwise it is read as a browser without scripts would:
 *   what `noscript` holds is part of it, as it is of `page.links`.
 * @throws Never, beyond what loading the module throws.
 */
export function loadDocument(text: string, isXml: boolean): CheerioAPI {
  loaders ??= createLoaders();
  return isXml ? loaders.xml(text) : loaders.html(text);
}

function createLoaders(): NonNullable<typeof loaders> {
  const { load } = createRequire(import.meta.url)('cheerio') as typeof import('cheerio');
  return {
    html: createLoader(load, { scriptingEnabled: false, treeAdapter: createLeanTree() }),
    xml: createLoader(load, { xml: true }),
  };
}

/** `load` with one class for all documents that it makes. */
function createLoader(load: Load, options: CheerioOptions): LoadOne {
  const shared = load('', options);
  const { fn } = shared;
  // Not promised by cheerio: one without them has documents that cost more, and are as right.
  if (typeof fn._make !== 'function' || typeof fn._parse !== 'function') return (text) => load(text, options);
  fn._make = function make<T>(this: Cheerio<AnyNode>, ...[selector, context]: Parameters<typeof fn._make<T>>) {
    const made = shared(selector as string, context, this._root ?? undefined);
    made.prevObject = this;
    return made as unknown as Cheerio<T>;
  };
  return (text) => {
    const root = fn._parse(text, shared._options, true, null);
    const $: typeof shared = ((selector, context, from = root, own) =>
      shared(selector, context, from, own)) as CheerioAPI;
    return Object.assign($, shared, { _root: root, prototype: fn });
  };
}
