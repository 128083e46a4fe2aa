/**
 * Clean-param and Host: which query parameters do not change a page according to the site, and which of its names it
 * prefers. They change the key under which a URL is known, never the URL that is requested (robots §9.7, §9.8, R47), so
 * a wrong statement does no visible harm.
 */

import { bytesOf } from './bytes.js';
import type { RobotsDocument } from './document.js';
import { MAX_MATCH_WORK } from './limits.js';
import { type OptionTable, readOptions } from './options.js';
import { matchesSpellings, type Spellings, searchWork, spellingsOf, targetOf } from './pattern.js';
import { readUrl } from './read-url.js';
import { siteFields } from './site-fields.js';

/** Which statements of the file change the key. */
interface DedupeOptions {
  /** Whether parameters named by `Clean-param` are removed from the key. @default 'dedupe' */
  readonly cleanParam?: 'dedupe' | 'expose';
  /**
   * Whether the key uses the preferred mirror named by `Host`. Two names of a site then count as one; the field is
   * retired, so an outdated one can merge two sites.
   * @default 'expose'
   */
  readonly host?: 'expose' | 'canonicalize';
}

const OPTIONS: OptionTable = { cleanParam: ['dedupe', 'expose'], host: ['expose', 'canonicalize'] };

/**
 * The key under which a URL is known: without the named parameters, on the preferred mirror (robots §9.7, §9.8).
 * @throws RobotsError `option-invalid`, `option-unknown`
 */
export function dedupeKey(document: RobotsDocument, url: string, options: DedupeOptions = {}): string {
  const { cleanParam, host } = readOptions(OPTIONS, options);
  const key = cleanParam === 'expose' ? url : withoutParams(document, url);
  return host === 'canonicalize' ? onMirror(statementsOf(document).host, key) : key;
}

function withoutParams(document: RobotsDocument, url: string): string {
  const hash = url.indexOf('#');
  const queryEnd = hash < 0 ? url.length : hash;
  const question = url.indexOf('?');
  if (question < 0 || question > queryEnd) return url;
  const { params: lines } = statementsOf(document);
  if (lines.size === 0) return url;
  const parameters = url.slice(question + 1, queryEnd).split('&');
  const path = spellingsOf(targetOf(url).path, false);
  /** Compares each pattern only once. */
  const matched = new Map<Spellings, boolean>();
  const maxWork = searchWork.bytes + MAX_MATCH_WORK;
  const matches = (pattern: Spellings) => {
    // Past the bound a parameter stays: at worst the same page is known twice.
    if (searchWork.bytes > maxWork) return false;
    const isMatch = matched.get(pattern) ?? matchesSpellings(pattern, path);
    matched.set(pattern, isMatch);
    return isMatch;
  };
  const names = new Set(parameters.map(nameOf));
  const dropped = new Set([...names].filter((name) => lines.get(name)?.some(matches)));
  const remaining = parameters.filter((parameter) => !dropped.has(nameOf(parameter)));
  if (remaining.length === parameters.length) return url;
  const query = remaining.length === 0 ? '' : `?${remaining.join('&')}`;
  return url.slice(0, question) + query + url.slice(queryEnd);
}

const nameOf = (parameter: string): string => parameter.split('=', 1)[0] as string;

interface SiteStatements {
  /** By parameter, the paths on which it is ignored. */
  readonly params: ReadonlyMap<string, readonly Spellings[]>;
  readonly host: string | null;
}

/** Read once for each file. */
const statementsByDocument = new WeakMap<RobotsDocument, SiteStatements>();

function statementsOf(document: RobotsDocument): SiteStatements {
  const cached = statementsByDocument.get(document);
  if (cached !== undefined) return cached;
  const { host, cleanParams } = siteFields(document);
  const lines = new Map<string, Spellings[]>();
  for (const { params, path } of cleanParams) {
    const pattern = spellingsOf(bytesOf(path), true);
    for (const param of params) {
      const paths = lines.get(param) ?? [];
      lines.set(param, paths);
      paths.push(pattern);
    }
  }
  const statements = { params: lines, host };
  statementsByDocument.set(document, statements);
  return statements;
}

function onMirror(host: string | null, url: string): string {
  const [authority = '', scheme = ''] = /^(https?:)\/\/[^/?#]*/i.exec(url) ?? [];
  if (host === null || authority === '') return url;
  const mirror = readUrl(/^https?:/i.test(host) ? host : `${scheme}//${host}`);
  return mirror === null ? url : mirror.origin + url.slice(authority.length);
}
