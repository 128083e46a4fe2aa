// cheerio, loaded when a handler first touches `page.$`.
//
// A getter cannot wait, so the module has to come synchronously; and loading it takes some sixty milliseconds and a few
// megabytes, which a crawl that never asks for a DOM should not pay, although it has handlers. Node's `require` does both:
// it loads cheerio's CommonJS build once, on the spot. (A preload at registration would make every crawl pay.)

import { createRequire } from 'node:module';
import type { CheerioAPI, CheerioOptions } from 'cheerio';
import { makeRoomForDocuments } from '../engine.js';
import { createLeanTree } from './lean-tree.js';

interface Loaded {
  readonly load: (text: string, options: CheerioOptions) => CheerioAPI;
  readonly treeAdapter: ReturnType<typeof createLeanTree>;
}

let loaded: Loaded | null = null;

/**
 * A document of cheerio's.
 *
 * @param text - The page, decoded.
 * @param isXml - Names keep their case and nothing is implied; otherwise it is read as a browser without scripts would:
 *   what `noscript` holds is part of it, as it is of `page.links`.
 * @throws Never, beyond what loading the module throws.
 */
export function loadDocument(text: string, isXml: boolean): CheerioAPI {
  loaded ??= loadCheerio();
  const { load, treeAdapter } = loaded;
  return load(text, isXml ? { xml: true } : { scriptingEnabled: false, treeAdapter });
}

function loadCheerio(): Loaded {
  makeRoomForDocuments();
  const { load } = createRequire(import.meta.url)('cheerio') as typeof import('cheerio');
  return { load, treeAdapter: createLeanTree() };
}
