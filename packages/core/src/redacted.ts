// Secrets in text that is shown or kept: names and passwords in URLs of pages and of stores, and private keys. The only
// place that finds them.

/** URLs have no blanks and quotes. */
const WORD = /[^\s"'`]+/g;
const MAX_SCHEME_CHARS = 64;
/** After `postgres://`: the example in help and hints, shown unchanged. */
const EXAMPLE = 'user@host/';

/** As PEM, and the private member of a JWK. */
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[^-]*|(\bd\\?"\s{0,9}:\s{0,9}\\?")[\w-]{20,}/g;

/** The text with `***` in place of names and passwords in URLs and of private keys. @throws Never */
export function redacted(text: string): string {
  const shown = text.includes('://') && text.includes('@') ? text.replaceAll(WORD, withoutUserinfo) : text;
  return shown.replaceAll(PRIVATE_KEY, '$1$2***');
}

/** Takes one pass: foreign text of any length is printed. */
function withoutUserinfo(word: string): string {
  let shown = '';
  let from = 0;
  for (let at = word.indexOf('://'); at >= 0; at = word.indexOf('://', at + 3)) {
    const scheme = /[a-z][a-z\d+.-]*$/i.exec(word.slice(Math.max(from, at - MAX_SCHEME_CHARS), at))?.[0].toLowerCase();
    const start = at + 3;
    if (scheme === undefined || scheme === 'file') continue;
    if (scheme === 'postgres' && word.startsWith(EXAMPLE, start)) continue;
    const rest = word.slice(start);
    // Name and password of a page's URL end at the first slash; those of a store may contain slashes.
    const isPage = scheme === 'http' || scheme === 'https';
    const end = (isPage ? (rest.split(/[/?#]/, 1)[0] ?? '') : rest).lastIndexOf('@');
    if (end >= 0) {
      shown += `${word.slice(from, start)}***`;
      from = start + end;
    }
    if (!isPage) break;
  }
  return shown + word.slice(from);
}
