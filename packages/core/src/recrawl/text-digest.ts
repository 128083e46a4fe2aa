// A digest of what a reader sees of a page: its text without insignificant blanks, its title and its links. Bodies of
// most pages change with every request (tokens, times in comments, advertisements). This digest changes only if such
// changes are visible.

import { createHash, hash } from 'node:crypto';
import type { FetchedPage } from '../page/page.js';
import type { ResolvedRecrawlOptions } from './recrawl-options.js';

/** Elements whose text is not displayed. */
const HIDDEN_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg']);
const DIGEST_CHARS = 22;

/**
 * A digest of 128 bits of what counts as content. For content that is not HTML, or nests too deep to be read, it covers
 * the body. Linear in its length. Rejects like `page.text`, and with what the user's function throws. `null`: the
 * function returned nothing.
 */
export async function digestOf(
  page: FetchedPage,
  change: Exclude<ResolvedRecrawlOptions['change'], 'items'>,
): Promise<string | null> {
  if (typeof change === 'function') return jsonDigest(await change(page));
  if (page.kind !== 'html' || change === 'payload') return payloadDigest(await page.bytes());
  const { readElements } = await import('../page/read-elements.js');
  const digest = createHash('sha256').update(page.title ?? '');
  for (const url of new Set(page.links.map((link) => link.url))) digest.update(`\n${url}`);
  let hidden = 0;
  // A blank between two texts counts once, wherever it is in the markup.
  let isBlank = true;
  const isRead = readElements(await page.text(), {
    onopentagname(name) {
      if (HIDDEN_ELEMENTS.has(name)) hidden += 1;
    },
    onclosetag(name) {
      if (HIDDEN_ELEMENTS.has(name)) hidden -= 1;
    },
    ontext(text) {
      if (hidden > 0) return;
      const collapsed = text.replace(/\s+/g, ' ');
      const visibleText = isBlank ? collapsed.trimStart() : collapsed;
      if (visibleText === '') return;
      isBlank = visibleText.endsWith(' ');
      digest.update(visibleText);
    },
  });
  return isRead ? digest.digest('base64url').slice(0, DIGEST_CHARS) : payloadDigest(await page.bytes());
}

/** The same for JSON; `null` if the value has none. */
export function jsonDigest(value: unknown): string | null {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : payloadDigest(Buffer.from(text));
}

export function payloadDigest(body: Uint8Array): string {
  return hash('sha256', body, 'base64url').slice(0, DIGEST_CHARS);
}

/** Whether a reader sees the same in both. */
export async function isSameText(page: FetchedPage, other: FetchedPage): Promise<boolean> {
  return page === other || (await digestOf(page, 'text')) === (await digestOf(other, 'text'));
}
