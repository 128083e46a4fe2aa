// The text that is signed: one line for each covered component, and a last one that repeats the list and its parameters
// as they are sent (RFC 9421 section 2.5; specification, identity 3.1).

import { type InnerList, type Item, serializeInnerList, serializeItem } from 'structured-headers';
import { parseUrl } from '../parse-url.js';
import { DERIVED_COMPONENTS } from './profile.js';
import { fieldValue, type SignedMessage } from './signed-message.js';
import { memberText, parseMembers } from './structured-field.js';

/** `null`: a component is missing, unreadable or unsupported. @param covered - `("@authority");created=…`. */
export function signatureBase(message: SignedMessage, covered: InnerList): string | null {
  const url = parseUrl(message.url);
  let base = '';
  for (const item of covered[0]) {
    const value = url === null ? null : componentValue(message, url, item);
    if (value === null || !/^[\t -~]*$/.test(value)) return null;
    base += `${serializeItem(item)}: ${value}\n`;
  }
  return `${base}"@signature-params": ${serializeInnerList(covered)}`;
}

/** `null`: missing, or an unsupported component or parameter. */
function componentValue(message: SignedMessage, url: URL, [text, parameters]: Item): string | null {
  if (typeof text !== 'string') return null;
  const isBound = parameters.get('req') === true;
  const extraParameters = [...parameters.keys()].filter((name) => name !== 'req');
  if (DERIVED_COMPONENTS.includes(text)) {
    return extraParameters.length === 0 && isBound === (message.isResponse === true)
      ? derivedValue(message.method, url, text)
      : null;
  }
  // The fields of a response's request are not available here.
  const field = text.startsWith('@') || isBound || text !== text.toLowerCase() ? null : fieldValue(message, text);
  const [name] = extraParameters;
  if (name === undefined || field === null) return field;
  const key = extraParameters.length === 1 && name === 'key' ? parameters.get('key') : undefined;
  const member = typeof key === 'string' ? parseMembers(field)?.get(key) : undefined;
  return member === undefined ? null : memberText(member);
}

/** The value of a derived component (RFC 9421 section 2.2). @param name - One of `DERIVED`. */
export function derivedValue(method: string, url: URL, name: string): string {
  switch (name) {
    case '@method':
      return method;
    case '@authority':
      return url.host;
    case '@path':
      return url.pathname;
    case '@query':
      return url.search || '?';
    case '@scheme':
      return url.protocol.slice(0, -1);
    default:
      return url.href;
  }
}
