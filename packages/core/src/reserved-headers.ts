// Header fields that are refused by name: those that identify the sender, those that the connection needs, and those
// that would make a crawler look like something else.

import { invalidOption } from './errors.js';

/** Fields that no caller sets: identity, the connection, and fields that link one request to another. */
export const RESERVED_HEADERS = new RegExp(
  '^(?:user-agent|from|accept-encoding|host|connection|keep-alive|te|trailer|transfer-encoding|content-length|' +
    'expect|upgrade|cookie|authorization|proxy-authorization|proxy-connection|referer|' +
    'signature|signature-input|signature-agent|accept-signature|' +
    'crawler-exact-price|crawler-max-price|payment-signature|x-payment)$',
  'i',
);

/** Why an operator may not set each of these fields for the whole crawl. */
const REFUSED: readonly (readonly [names: RegExp, reason: string])[] = [
  [/^(?:user-agent|from)$/, 'it says who asks: see `identity`'],
  [/^(?:cookie|set-cookie)$/, 'see `network.cookies`'],
  [/^(?:(?:proxy-)?authorization|x-api-key|x-auth-.*|.*-token)$/, 'a credential may go to one origin only'],
  [/^(?:signature.*|accept-signature)$/, 'see `identity.signature`'],
  [/^(?:if-.*|range)$/, 'the crawl makes requests conditional itself: see `recrawl`'],
  [/^(?:referer|origin|sec-.*|dnt)$/, 'browsers set it, and this is not a browser'],
  [/^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|client-ip|true-client-ip|cf-.*)$/, 'it hides who asks'],
  [/^(?:crawler-.*-price|payment-signature|x-payment)$/, 'a crawl pays nothing'],
  [RESERVED_HEADERS, 'the crawl sets it'],
];

/** @throws MannerlyError `option-invalid` for a list, such as `Headers`, and for a field that no caller sets. */
export function checkRequestFields(option: string, fields: object): void {
  if (Symbol.iterator in fields) throw invalidOption(option, 'an object of names and values', fields);
  const name = Object.keys(fields).find((each) => RESERVED_HEADERS.test(each));
  if (name !== undefined)
    throw invalidOption(option, 'fields that a handler may set', name, `${name}: ${refusalReason(name)}.`);
}

/** Why an operator may not add a field; `undefined`: it may be added. @throws Never */
export function refusalReason(name: string): string | undefined {
  return REFUSED.find(([names]) => names.test(name.toLowerCase()))?.[1];
}
