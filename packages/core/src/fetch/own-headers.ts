// Header fields that the operator adds to requests for content, such as Accept-Language. What says who asks, what the
// connection needs, and what would make a crawler look like somebody else is refused by name.

import { createHostMatch } from '@mannerly/frontier/internal';
import { invalidOption } from '../errors.js';
import { MAX_OWN_HEADER_CHARS, MAX_OWN_HEADERS } from './limits.js';

/** Fields that no caller sets: identity, the connection, and what links one request to another. */
export const OURS = new RegExp(
  '^(?:user-agent|from|accept-encoding|host|connection|keep-alive|te|trailer|transfer-encoding|content-length|' +
    'expect|upgrade|cookie|authorization|proxy-authorization|proxy-connection|referer|' +
    'signature|signature-input|signature-agent|accept-signature|' +
    // The crawl pays nothing.
    'crawler-exact-price|crawler-max-price|payment-signature|x-payment)$',
  'i',
);

/** What each of these fields is, which an operator may not set for the whole crawl. */
const REFUSED: readonly (readonly [names: RegExp, why: string])[] = [
  [/^(?:user-agent|from)$/, 'it says who asks: see `identity`'],
  [/^(?:cookie|set-cookie)$/, 'see `network.cookies`'],
  [/^(?:(?:proxy-)?authorization|x-api-key|x-auth-.*|.*-token)$/, 'a credential may go to one origin only'],
  [/^(?:signature.*|accept-signature)$/, 'see `identity.signature`'],
  [/^(?:if-.*|range)$/, 'the crawl makes requests conditional itself: see `recrawl`'],
  [/^(?:referer|origin|sec-.*|dnt)$/, 'browsers set it, and this is none'],
  [/^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|client-ip|true-client-ip|cf-.*)$/, 'it hides who asks'],
  [OURS, 'the crawl sets it'],
];

const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([!-~]|[!-~][ -~]*[!-~])[ \t]*$/;

/**
 * Reads fields as `Name: value`.
 *
 * @param path - The option.
 * @throws MannerlyError `option-invalid` for what is no field, for one that is refused, and for one that comes twice.
 */
export function readOwnHeaders(lines: readonly string[], path = 'network.headers'): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  if (lines.length > MAX_OWN_HEADERS) throw invalidOption(path, `at most ${MAX_OWN_HEADERS} fields`, lines);
  for (const [at, line] of lines.entries()) {
    const option = `${path}[${at}]`;
    const [, name = '', value = ''] = (line.length <= MAX_OWN_HEADER_CHARS && FIELD.exec(line)) || [];
    if (name === '') {
      const expected = `a field such as "Accept-Language: de", at most ${MAX_OWN_HEADER_CHARS} characters`;
      throw invalidOption(option, expected, line);
    }
    const why = REFUSED.find(([names]) => names.test(name.toLowerCase()))?.[1];
    if (why !== undefined) throw invalidOption(option, 'a field that a crawl may add', name, `${name}: ${why}.`);
    if (Object.keys(fields).some((known) => known.toLowerCase() === name.toLowerCase())) {
      throw invalidOption(option, 'a field that is not given twice', name);
    }
    // Names are compared in any case, and one has a spelling of ours.
    fields[name.toLowerCase() === 'accept' ? 'Accept' : name] = value;
  }
  return Object.freeze(fields);
}

/** Fields with others, which count where both have a name, in any case. @throws Never */
export function withFields(
  fields: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const added = Object.keys(others);
  if (added.length === 0) return fields;
  const names = new Set(added.map((name) => name.toLowerCase()));
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name.toLowerCase()))),
    ...others,
  };
}

/** The fields of requests to a host, by its name: those of the crawl with those of the entries that match, in order. */
export function createFieldsOf(
  ofCrawl: Readonly<Record<string, string>>,
  entries: readonly { readonly match: readonly string[]; readonly headers: Readonly<Record<string, string>> }[],
): (host: string) => Readonly<Record<string, string>> {
  const having = entries.filter(({ headers }) => Object.keys(headers).length > 0);
  if (having.length === 0) return () => ofCrawl;
  const matching = createHostMatch(having.map(({ match }) => match));
  return (host) =>
    matching(host.replace(/\.$/, '')).reduce((fields, at) => withFields(fields, having[at]?.headers ?? {}), ofCrawl);
}
