// Character references of HTML (`&amp;`, `&#228;`, `&copy`) in a piece of raw text, decoded by `entities` as the standard says.

import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** The value of an attribute: `&copy=1` stays as it is there. @throws Never */
export function decodeAttribute(raw: string): string {
  return decode(raw, decodeHTMLAttribute);
}

/** The text of a title. @throws Never */
export function decodeText(raw: string): string {
  return decode(raw, (text) => decodeHTML(text));
}

function decode(raw: string, decoder: (text: string) => string): string {
  const text = preprocessed(raw);
  if (!text.includes('&')) return text;
  // Nearly every reference in a link is `&amp;`.
  if (!text.replaceAll('&amp;', '').includes('&')) return text.replaceAll('&amp;', '&');
  return decoder(text);
}

/** NUL becomes the replacement character, and every line ends with a line feed, as HTML says of its input. */
function preprocessed(raw: string): string {
  const text = raw.includes('\0') ? raw.replaceAll('\0', '\uFFFD') : raw;
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
