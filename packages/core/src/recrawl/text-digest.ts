// What a reader sees of a page, as a digest: its text without blanks that mean nothing, its title and its links. Bodies
// of most pages change with every request (tokens, times of day in comments, advertisements); this changes with them
// only where they are shown.

import { createHash, hash } from 'node:crypto';
import { Parser } from 'htmlparser2';
import type { FetchedPage } from '../page/page.js';

/** Elements whose text is not shown. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg']);
const DIGEST_CHARS = 22;

/** A digest of 128 bits. Of what is no HTML, of the body. Time linear in its length; rejects as `page.text` does. */
export async function digestOf(page: FetchedPage, change: 'text' | 'payload'): Promise<string> {
  if (page.kind !== 'html' || change === 'payload') return payloadDigest(await page.bytes());
  const digest = createHash('sha256').update(page.title ?? '');
  for (const url of new Set(page.links.map((link) => link.url))) digest.update(`\n${url}`);
  let hidden = 0;
  // A blank between two texts counts once, wherever the markup has it.
  let isBlank = true;
  const parser = new Parser({
    onopentagname(name) {
      if (HIDDEN.has(name)) hidden += 1;
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden -= 1;
    },
    ontext(text) {
      if (hidden > 0) return;
      const collapsed = text.replace(/\s+/g, ' ');
      const shown = isBlank ? collapsed.trimStart() : collapsed;
      if (shown === '') return;
      isBlank = shown.endsWith(' ');
      digest.update(shown);
    },
  });
  parser.end(await page.text());
  return digest.digest('base64url').slice(0, DIGEST_CHARS);
}

/** The same of bytes. */
export function payloadDigest(body: Uint8Array): string {
  return hash('sha256', body, 'base64url').slice(0, DIGEST_CHARS);
}
