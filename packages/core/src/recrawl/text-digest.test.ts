// If this breaks, a page with unmatched end tags takes minutes, or unchanged pages count as changed.

import { describe, expect, it } from 'vitest';
import type { FetchedPage } from '../page/page.js';
import { digestOf, payloadDigest } from './text-digest.js';

function digest(html: string): Promise<string | null> {
  const page = { kind: 'html', title: null, links: [], text: async () => html, bytes: async () => Buffer.from(html) };
  return digestOf(page as unknown as FetchedPage, 'text');
}

describe('the digest of the visible text', () => {
  it('is the same if only invisible parts differ', async () => {
    const one = await digest('<p>a <b>b</b><script>1</script></p>');
    expect(await digest('<div class=x>a\n <i>b</i><script>2</script></div></q>')).toBe(one);
    expect(await digest('<p>a <b>c</b></p>')).not.toBe(one);
  });

  it.each([
    ['elements that are not closed', '<b>'],
    ['end tags that close nothing', '<b></i>'],
    ['items and paragraphs in turn', '<li><p></i>'],
  ])('is that of the body if the text would take too long: %s', async (_what, part) => {
    const html = part.repeat(200_000);
    expect(await digest(html)).toBe(payloadDigest(Buffer.from(html)));
  });
});
