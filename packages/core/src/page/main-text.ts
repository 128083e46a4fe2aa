// The main text of a page without navigation, advertisements and footers, extracted by Mozilla's Readability from a
// linkedom document. Users install both. Scripts of the page do not run.

import type { Element } from 'domhandler';
import { MannerlyError } from '../errors.js';
import { loadPeer } from '../optional-peer.js';
import { loadDocument } from './cheerio.js';
import {
  MAX_MAIN_TEXT_ATTRIBUTE_CHARS,
  MAX_MAIN_TEXT_ATTRIBUTES_CHARS,
  MAX_MAIN_TEXT_DEPTH,
  MAX_MAIN_TEXT_ELEMENTS,
  MAX_MAIN_TEXT_STEPS,
} from './limits.js';

/** The main text, and what the page says about it. */
export interface MainText {
  /** One line for each paragraph, heading and list item. */
  readonly text: string;
  readonly title: string | null;
  readonly byline: string | null;
  /** The page's own description, or its first paragraph. */
  readonly excerpt: string | null;
  readonly siteName: string | null;
  /** As the page writes it. */
  readonly publishedAt: string | null;
}

const MAIN_TEXT_BOUNDS = {
  depth: MAX_MAIN_TEXT_DEPTH,
  elements: MAX_MAIN_TEXT_ELEMENTS,
  steps: MAX_MAIN_TEXT_STEPS,
};

const PEERS = '@mozilla/readability linkedom';

/** Elements that end a line. */
const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, li, dt, dd, tr, br, div, pre, blockquote, figcaption, section';

/**
 * The main text of an HTML page; `null`: none can be told from the rest.
 * @throws MannerlyError (rejects) `peer-missing`; `page-too-large` beyond 100,000 elements or elements nested more than
 *   256 deep, for many elements that deep, and beyond 16 Mi characters of attributes.
 */
export async function readMainText(html: string, url: string): Promise<MainText | null> {
  const [{ Readability }, { parseHTML }] = await Promise.all([
    loadPeer<typeof import('@mozilla/readability')>('@mozilla/readability', '`page.mainText`', PEERS),
    loadPeer<typeof import('linkedom')>('linkedom', '`page.mainText`', PEERS),
  ]);
  // linkedom does not supply tags that a page leaves out, such as `body`, but cheerio does.
  const $ = loadDocument(html, false, url, MAIN_TEXT_BOUNDS);
  let chars = 0;
  for (const { attribs } of $('*').toArray() as Element[]) {
    for (const [name, value] of Object.entries(attribs)) {
      if (name !== 'content') attribs[name] = value.slice(0, MAX_MAIN_TEXT_ATTRIBUTE_CHARS);
      chars += name.length + attribs[name]!.length;
    }
    // A formatting element that is left open is repeated in each paragraph after it, with its attributes.
    if (chars > MAX_MAIN_TEXT_ATTRIBUTES_CHARS) {
      const fault = `attributes of more than ${MAX_MAIN_TEXT_ATTRIBUTES_CHARS} characters`;
      const message = `${url} is too much to find its main text: ${fault}`;
      throw new MannerlyError('page-too-large', message, { hint: 'Use `page.text()` or `page.$`.' });
    }
  }
  const article = new Readability(parseHTML($.html()).document).parse();
  if (article?.content == null) return null;
  const { title, byline, excerpt, siteName, publishedTime } = article;
  const text = linesOf(article.content);
  if (text === '') return null;
  return {
    text,
    title: title || null,
    byline: byline || null,
    excerpt: excerpt || null,
    siteName: siteName || null,
    publishedAt: publishedTime || null,
  };
}

function linesOf(content: string): string {
  const $ = loadDocument(content, false);
  $(BLOCKS).append('\n');
  const lines = $('body').text().split('\n');
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
