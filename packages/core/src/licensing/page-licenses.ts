// The licences that a response names: by Link, and in HTML by `link` and `script` of RSL's media type. Without that
// type `rel=license` is an ordinary link to a licence, older than RSL, and has no effect (licensing C1).

import type { HeaderLines } from '../fetch/outcome.js';
import { parseLinkFields } from '../page/alternates.js';
import type { FetchedPage } from '../page/page.js';
import { readElements } from '../page/read-elements.js';
import { parseUrl } from '../parse-url.js';
import { type LicenseReading, readLicenseDocument } from './license-document.js';
import { MAX_LICENSE_BYTES, MAX_LICENSE_URL_CHARS, MAX_PAGE_LICENSES } from './limits.js';

const RSL_TYPE = 'application/rsl+xml';

/** A licence that a response names: where its document is, or the document itself. */
type PageLicense = { readonly url: string } | { readonly reading: LicenseReading };

/** The parts of a page that are needed to read its licences. */
export type LicensedPage = Pick<FetchedPage, 'url' | 'headers' | 'kind' | 'html' | 'text' | 'rendering'>;

/** The licences that a response names; one beyond the limit counts as unreadable. Never rejects. */
export async function licensesOfPage(page: LicensedPage, body: Uint8Array): Promise<readonly PageLicense[]> {
  const found: PageLicense[] = linkedLicenses(page.headers, page.url);
  if (page.kind === 'html' && (page.rendering !== null || page.html?.mayNameLicense === true)) {
    // If a browser rendered the page, the original body counts as well: no script can remove a term.
    const raw = page.rendering === null ? await page.text() : Buffer.from(body).toString('utf8');
    found.push(...licensesInHtml(raw, page.url));
    if (page.rendering !== null) found.push(...licensesInHtml(await page.text(), page.url));
  }
  if (found.length < 2) return found;
  const distinct = [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
  if (distinct.length <= MAX_PAGE_LICENSES) return distinct;
  const reason = `the page names more than ${MAX_PAGE_LICENSES} licences`;
  return [...distinct.slice(0, MAX_PAGE_LICENSES), { reading: { kind: 'unreadable', reason } }];
}

/** Licences in `Link` fields. */
function linkedLicenses(headers: HeaderLines, pageUrl: string): PageLicense[] {
  return parseLinkFields(headers)
    .filter(({ rel, parameters }) => rel.includes('license') && isRsl(parameters.get('type')))
    .map(({ target }) => ({ url: absolute(target, pageUrl) }));
}

/** Licences of the document and of its parts, which count for the whole: the stricter reading. */
function licensesInHtml(html: string, pageUrl: string): PageLicense[] {
  const found: PageLicense[] = [];
  let script: string | null = null;
  let base = pageUrl;
  let hasBase = false;
  const isRead = readElements(html, {
    onopentag(name, attributes) {
      const { href, rel, type } = attributes;
      if (name === 'base' && href !== undefined && !hasBase) {
        hasBase = true;
        base = parseUrl(href, pageUrl)?.href ?? pageUrl;
      }
      if (!isRsl(type)) return;
      if (name === 'script') script = '';
      else if (
        name === 'link' &&
        rel
          ?.toLowerCase()
          .split(/[\t\n\f\r ]+/)
          .includes('license')
      )
        found.push({ url: absolute(href ?? '', base) });
    },
    ontext(chunk) {
      if (script !== null && script.length <= MAX_LICENSE_BYTES) script += chunk;
    },
    onclosetag() {
      if (script !== null) found.push({ reading: inlineReading(script) });
      script = null;
    },
  });
  if (!isRead) found.unshift({ reading: { kind: 'unreadable', reason: 'elements of the page nest too deep' } });
  return found.slice(0, MAX_PAGE_LICENSES + 1);
}

/** Whether a media type is RSL's, with or without parameters. */
function isRsl(type: string | undefined): boolean {
  return type?.replace(/;.*/s, '').trim().toLowerCase() === RSL_TYPE;
}

function inlineReading(text: string): LicenseReading {
  const reading = readLicenseDocument(text.trim());
  if (reading.kind === 'unreadable' || reading.contents.length === 1) return reading;
  return { kind: 'unreadable', reason: 'a licence in a page has not exactly one content' };
}

function absolute(target: string, base: string): string {
  return (parseUrl(target.trim(), base)?.href ?? target).slice(0, MAX_LICENSE_URL_CHARS + 1);
}
