// The links of `Link` fields (RFC 8288), which may have several links in a line.

import { type HeaderLines, headerValues } from '../fetch/outcome.js';

/** A link of a response, as written. */
export interface LinkOfField {
  /** Not resolved. */
  readonly target: string;
  /** Words of `rel`, lower case. */
  readonly rel: readonly string[];
  /** Parameters by lower-case name; of two of one name the last. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The links in the order of the response. The time is linear in the length of the fields. Never throws. */
export function linksOfFields(headers: HeaderLines): LinkOfField[] {
  return headerValues(headers, 'link')
    .flatMap((value) => [...value.matchAll(LINK)])
    .map(([, target = '', written = '']) => {
      const pairs = Array.from(written.matchAll(PARAMETER), ([, name = '', quoted, bare]) => {
        return [name.toLowerCase(), (quoted ?? bare ?? '').trim()] as const;
      });
      const parameters = new Map(pairs);
      const rel = (parameters.get('rel') ?? '').toLowerCase().split(/[\t ]+/);
      return { target: target.trim(), rel, parameters };
    });
}

const LINK = /<([^<>]{0,8192})>((?:;(?:"[^"]*"|[^",;])*)*)/g;
const PARAMETER = /;[ \t]*([a-z]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^",; \t]+))/gi;
