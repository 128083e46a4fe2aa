// Secrets in text that is shown or kept: names and passwords in URLs of pages and of stores, and private keys. The only
// place that finds them.

/**
 * Name and password of a page's URL end at the first slash; those of a store may contain slashes. A file URL has
 * neither. The example in help and hints is shown unchanged.
 */
const USERINFO =
  /\b(?!postgres:\/\/user@host\/)(?:(https?:\/\/)[^\s/?#"'`]*|((?!https?:|file:)[a-z][a-z\d+.-]*:\/\/)[^\s"'`]*)@/gi;

/** As PEM, and the private member of a JWK. */
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[^-]*|(\bd\\?"\s{0,9}:\s{0,9}\\?")[\w-]{20,}/g;

/** The text with `***` in place of names and passwords in URLs and of private keys. @throws Never */
export function redacted(text: string): string {
  return text.replaceAll(USERINFO, '$1$2***@').replaceAll(PRIVATE_KEY, '$1$2***');
}
