// The licences that a page names, wherever it names them: one that is overlooked counts as no licence at all.

import { describe, expect, it } from 'vitest';
import { MAX_LICENSE_BYTES, MAX_LICENSE_URL_CHARS, MAX_PAGE_LICENSES } from './limits.js';
import { type LicensedPage, licensesOfPage } from './page-licenses.js';

const URL_A = 'https://a.test/dir/page';
const RSL = 'type="application/rsl+xml"';
const link = (href: string, more = RSL) => `<link rel="license" ${more} href="${href}">`;
const script = (content: string, type = RSL) =>
  `<script ${type}><rsl xmlns="https://rslstandard.org/rsl">${content}</rsl></script>`;
const CONTENT = '<content url=""><license/></content>';

/** @param rendered - The page as a browser made it. */
async function found(html: string, { headers = [], kind = 'html', rendered = null, ...more }: Given = {}) {
  const page = {
    url: URL_A,
    headers,
    kind,
    html: { mayNameLicense: true, ...more },
    text: async () => rendered ?? html,
    rendering: rendered === null ? null : {},
  } as unknown as LicensedPage;
  const named = await licensesOfPage(page, Buffer.from(html));
  return named.map((each) => ('url' in each ? each.url : each.reading.kind));
}

type Given = Partial<Pick<LicensedPage, 'headers' | 'kind'>> & {
  readonly rendered?: string | null;
  readonly mayNameLicense?: boolean;
};

describe('the licences of a page', () => {
  it.each<[string, string, Given, readonly string[]]>([
    ['a link', link('l.xml'), {}, ['https://a.test/dir/l.xml']],
    ['of which blanks do not count', link(' /l.xml '), {}, ['https://a.test/l.xml']],
    [
      'of several relations',
      '<link rel="x LICENSE" type="Application/RSL+XML; a=b" href="/l">',
      {},
      ['https://a.test/l'],
    ],
    ['of another type', link('l.xml', 'type="text/html"'), {}, []],
    ['of no type', link('l.xml', ''), {}, []],
    ['of another relation', `<link rel="licenses" ${RSL} href="/l">`, {}, []],
    ['of another element', `<a rel="license" ${RSL} href="/l">`, {}, []],
    ['from the first base', `<base href="/b/"><base href="/c/">${link('l')}`, {}, ['https://a.test/b/l']],
    ['from no base that is no URL', `<base href="http://[">${link('l')}`, {}, ['https://a.test/dir/l']],
    [
      'from a base after one without a URL',
      `<base target="x"><base href="/b/">${link('l')}`,
      {},
      ['https://a.test/b/l'],
    ],
    ['a document', script(CONTENT), {}, ['read']],
    ['of which each counts', script(CONTENT) + script(`${CONTENT}${CONTENT}`), {}, ['read', 'unreadable']],
    ['of another type', script(CONTENT, 'type="application/xml"'), {}, []],
    ['that is too long', script(CONTENT + ' '.repeat(MAX_LICENSE_BYTES)), {}, ['unreadable']],
    ['the same twice', link('l') + link('l'), {}, ['https://a.test/dir/l']],
    ['a field', '', { headers: [['Link', '</l>; rel=license; type="application/rsl+xml"']] }, ['https://a.test/l']],
    ['a field of no type', '', { headers: [['Link', '</l>; rel=license']] }, []],
    ['a field of another relation', '', { headers: [['Link', '</l>; rel=next; type="application/rsl+xml"']] }, []],
    ['in what is no HTML', link('l'), { kind: 'text' }, []],
    ['in what was seen to name none', link('l'), { mayNameLicense: false }, []],
    [
      'before and after a browser',
      link('l'),
      { rendered: link('m') },
      ['https://a.test/dir/l', 'https://a.test/dir/m'],
    ],
    ['made by a browser', '', { rendered: link('m'), mayNameLicense: false }, ['https://a.test/dir/m']],
  ])('%s: %j', async (_what, html, given, expected) => {
    expect(await found(html, given)).toEqual(expected);
  });

  it('are bounded: one too many counts as unreadable', async () => {
    const links = Array.from({ length: MAX_PAGE_LICENSES }, (_, at) => link(`/${at}`));
    const urls = links.map((_, at) => `https://a.test/${at}`);
    expect(await found(links.join(''))).toEqual(urls);
    expect(await found(links.join('') + link('/more'))).toEqual([...urls, 'unreadable']);
    const [url] = await found(link('x'.repeat(2 * MAX_LICENSE_URL_CHARS)));
    expect(url).toHaveLength(MAX_LICENSE_URL_CHARS + 1);
  });

  it('are unknown if the elements of the page nest too deep to be read', async () => {
    expect(await found('<div>'.repeat(100_000) + link('l'))).toContain('unreadable');
  });
});
