// Header fields that the operator adds to requests for content, such as Accept-Language.

import { createHostMatch } from '@mannerly/frontier/internal';
import { invalidOption } from '../errors.js';
import { whyRefused } from '../refused-fields.js';
import { MAX_OWN_HEADER_CHARS, MAX_OWN_HEADERS } from './limits.js';

const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([!-~]|[!-~][ -~]*[!-~])[ \t]*$/;

/**
 * Parses fields of the form `Name: value`.
 *
 * @param path - The option.
 * @throws MannerlyError `option-invalid` for an invalid field, a refused one, or a duplicate.
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
    const why = whyRefused(name);
    if (why !== undefined) throw invalidOption(option, 'a field that a crawl may add', name, `${name}: ${why}.`);
    if (Object.keys(fields).some((known) => known.toLowerCase() === name.toLowerCase())) {
      throw invalidOption(option, 'a field that is not given twice', name);
    }
    // Names are compared case-insensitively; `Accept` gets our own spelling.
    fields[name.toLowerCase() === 'accept' ? 'Accept' : name] = value;
  }
  return Object.freeze(fields);
}

/** Merges fields with others, which take precedence if a name, in any case, is in both. @throws Never */
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

/** The fields of requests to a host, by its name: those of the crawl, then those of matching entries, in order. */
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
