// RSL documents for tests.

/** A document with one `content` for the whole site. @param licenses - Its `license` elements. */
export function rslOf(licenses: string, attributes = ''): string {
  return contentsOf([['/', licenses]], attributes);
}

/** A document with a `content` for each pattern. */
export function contentsOf(contents: readonly (readonly [url: string, licenses: string])[], attributes = ''): string {
  const inner = contents.map(([url, licenses]) => `<content url="${url}">${licenses}</content>`);
  return `<rsl xmlns="https://rslstandard.org/rsl" ${attributes}>${inner.join('')}</rsl>`;
}
