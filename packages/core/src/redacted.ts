// Secrets in text that is shown or kept: names and passwords in URLs of pages and of stores. The one place that finds
// them.

/** Of a page's URL, name and password end at the first slash; a password of a store may have slashes itself. */
const USERINFO = /\b(?:(https?:\/\/)[^\s/?#"'`]*|((?!https?:)[a-z][a-z\d+.-]*:\/\/)[^\s"'`]*)@/gi;

/** The text with `***` in place of names and passwords in URLs. @throws Never */
export function redacted(text: string): string {
  return text.replaceAll(USERINFO, '$1$2***@');
}
