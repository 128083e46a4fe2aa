/**
 * Clean-param and Host: which query parameters do not change a page according to the site, and which of its names it
 * prefers. They change the key under which a URL is known, never the URL that is requested (robots §9.7, §9.8, R47), so
 * a wrong statement does no visible harm.
 */

import { bytesOf } from './bytes.js';
import { targetOf } from './decide.js';
import type { RobotsDocument } from './document.js';
import { MAX_MATCH_WORK } from './limits.js';
import { canonical } from './normalize.js';
import { matchesStretch, passed } from './pattern.js';
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

/** The key under which a URL is known: without the named parameters, on the preferred mirror (robots §9.7, §9.8). */
export function dedupeKey(document: RobotsDocument, url: string, options: DedupeOptions = {}): string {
  const key = options.cleanParam === 'expose' ? url : withoutParams(document, url);
  return options.host === 'canonicalize' ? onMirror(saidBy(document).host, key) : key;
}

function withoutParams(document: RobotsDocument, url: string): string {
  const hash = url.indexOf('#');
  const queryEnd = hash < 0 ? url.length : hash;
  const question = url.indexOf('?');
  if (question < 0 || question > queryEnd) return url;
  const { params: lines } = saidBy(document);
  if (lines.size === 0) return url;
  const pieces = url.slice(question + 1, queryEnd).split('&');
  const { path } = targetOf(url);
  const spellings = FORMS.map((form) => canonical(path, form, false));
  /** Compares each pattern only once. */
  const matched = new Map<Patterns, boolean>();
  const most = passed.bytes + MAX_MATCH_WORK;
  const matches = (patterns: Patterns) => {
    // Past the bound a parameter stays: at worst the same page is known twice.
    if (passed.bytes > most) return false;
    const isMatch =
      matched.get(patterns) ?? patterns.some((each, i) => matchesStretch(each, 0, each.length, spellings[i]!));
    matched.set(patterns, isMatch);
    return isMatch;
  };
  const names = new Set(pieces.map(nameOf));
  const dropped = new Set([...names].filter((name) => lines.get(name)?.some(matches)));
  const kept = pieces.filter((piece) => !dropped.has(nameOf(piece)));
  if (kept.length === pieces.length) return url;
  const query = kept.length === 0 ? '' : `?${kept.join('&')}`;
  return url.slice(0, question) + query + url.slice(queryEnd);
}

const nameOf = (piece: string): string => piece.split('=', 1)[0] as string;

const FORMS = ['n0', 'n1'] as const;
/** The path of a line, in the two spellings of RFC 9309. */
type Patterns = readonly string[];
/** What the lines of a file mean. */
interface Said {
  /** By parameter, the paths on which it is ignored. */
  readonly params: ReadonlyMap<string, readonly Patterns[]>;
  readonly host: string | null;
}
/** Read once for each file. */
const known = new WeakMap<RobotsDocument, Said>();

function saidBy(document: RobotsDocument): Said {
  const said = known.get(document);
  if (said !== undefined) return said;
  const { host, cleanParams } = siteFields(document);
  const lines = new Map<string, Patterns[]>();
  for (const { params, path } of cleanParams) {
    const patterns = FORMS.map((form) => canonical(bytesOf(path), form, true));
    for (const param of params) {
      const paths = lines.get(param);
      if (paths === undefined) lines.set(param, [patterns]);
      else paths.push(patterns);
    }
  }
  const read = { params: lines, host };
  known.set(document, read);
  return read;
}

function onMirror(host: string | null, url: string): string {
  const [authority = '', scheme = ''] = /^(https?:)\/\/[^/?#]*/i.exec(url) ?? [];
  if (host === null || authority === '') return url;
  const mirror = readUrl(/^https?:/i.test(host) ? host : `${scheme}//${host}`);
  return mirror === null ? url : mirror.origin + url.slice(authority.length);
}
