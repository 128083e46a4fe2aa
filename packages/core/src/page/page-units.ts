// A page to be scanned: a string in which every character of markup stands for itself, and how to read a piece of it.
//
// A page in UTF-8 is scanned byte for byte: the bytes as a string of one-octet characters cost a tenth of decoding the
// page, and markup is ASCII. Only the few values that are kept and are not ASCII are decoded.

/** A page as it is scanned. */
export interface PageUnits {
  /** The page, one character or one byte each. */
  readonly units: string;
  /** A piece of the page as text. Never throws. */
  readonly text: (start: number, end: number) => string;
}

/** A page that is decoded already. @throws Never */
export function decodedPage(html: string): PageUnits {
  return { units: html, text: (start, end) => html.slice(start, end) };
}

/**
 * A page in UTF-8. A piece between two characters of ASCII reads the same by itself as in its page, since what is
 * malformed never reaches past the next character of ASCII.
 *
 * @param bytes - Without byte order mark; not changed, and not kept for longer than the page is read.
 * @throws Never
 */
export function utf8Page(bytes: Uint8Array): PageUnits {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { units: buffer.toString('latin1'), text: (start, end) => buffer.toString('utf8', start, end) };
}
