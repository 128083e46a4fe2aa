// cheerio, loaded when a handler first touches `page.$`.
//
// A getter cannot wait, so the module has to come synchronously; and loading it takes some sixty milliseconds and a few
// megabytes, which a crawl that never asks for a DOM should not pay, although it has handlers. Node's `require` does both:
// it loads cheerio's CommonJS build once, on the spot. (A preload at registration would make every crawl pay.)

import { createRequire } from 'node:module';
import type { CheerioAPI } from 'cheerio';

/**
 * A document of cheerio's.
 *
 * @param text - The page, decoded.
 * @param isXml - Names keep their case and nothing is implied; otherwise it is read as a browser without scripts would:
 *   what `noscript` holds is part of it, as it is of `page.links`.
 * @throws Never, beyond what loading the module throws.
 */
export function loadDocument(text: string, isXml: boolean): CheerioAPI {
  const require = createRequire(import.meta.url);
  const { load } = require('cheerio') as typeof import('cheerio');
  return load(text, isXml ? { xml: true } : { scriptingEnabled: false });
}
