// Rows of the options that say who crawls, where, how much, and what counts as one URL.

import type { CanonicalRule, Via } from '@mannerly/frontier';
import { MAX_URL_PATTERNS } from '../admit/limits.js';
import { MAX_CONTACT_LENGTH, MAX_EGRESS_RANGES, MAX_TOKEN_LENGTH, MAX_TOKENS } from '../fetch/limits.js';
import { MAX_SEEDS } from '../limits.js';
import type { Signer } from '../signatures/signing-key.js';
import {
  MAX_DEPTH,
  MAX_MINUTES,
  MAX_PAGES,
  MAX_PATH_SEGMENTS,
  MAX_QUERY_PARAMETERS,
  MAX_SIMILAR_PAGES,
  SIGNATURE_SECONDS,
} from './limits.js';
import {
  boolean,
  choice,
  code,
  defaultsOfRows,
  either,
  group,
  groupRow,
  isFunction,
  list,
  number,
  patterns,
  row,
  text,
  whole,
} from './row.js';

const token = text('a product token of letters, digits, - and _', {
  pattern: '^[A-Za-z0-9_-]+$',
  most: MAX_TOKEN_LENGTH,
});
const pages = whole(1, MAX_PAGES, 'pages');
const minutes = number(0, MAX_MINUTES, 'minutes', true);
const bytes = whole(1, Number.MAX_SAFE_INTEGER, 'bytes');
/** Two labels or more. */
const HOST_NAME = '^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$';

export const CRAWL_ROWS = {
  identity: groupRow('IdentityOptions', {
    name: row(token, {
      isRequired: true,
      isCheckedByOwner: true,
      flag: ['--name <token>', 'your product token, which robots.txt can address, such as tidepool-study'],
    }),
    contact: row(text('an http(s) URL or a mail address', { most: MAX_CONTACT_LENGTH }), {
      isRequired: true,
      isCheckedByOwner: true,
      flag: ['--contact <url-or-mail>', 'a page or mailbox where sites can reach you; in every request'],
    }),
    version: row(text('letters, digits, ., -, _ and +', { pattern: '^[A-Za-z0-9._+-]+$', most: MAX_TOKEN_LENGTH }), {
      default: '1.0',
      isCheckedByOwner: true,
    }),
    tokens: row(list(token, MAX_TOKENS, 1), { defaultText: '`[name]`', isCheckedByOwner: true }),
    page: row(text('an https URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://', most: MAX_CONTACT_LENGTH }), {
      isCheckedByOwner: true,
    }),
    egress: row(list(text('a range of public addresses such as 192.0.2.0/28'), MAX_EGRESS_RANGES), { default: [] }),
    domain: row(text('a domain name', { pattern: HOST_NAME, most: 253 })),
    signature: row(
      group('SignatureOptions', {
        key: row(text('file:PATH or env:NAME', { pattern: '^(file|env):.', path: 'behind file:' }), {
          isCheckedByOwner: true,
          defaultText: 'none; this or `sign`',
        }),
        sign: row(code<Signer['sign']>('(bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>', isFunction)),
        keyid: row(text('the thumbprint of a key', { pattern: '^[A-Za-z0-9_-]{43}$' })),
        agent: row(text('an https URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }), {
          isRequired: true,
          isCheckedByOwner: true,
        }),
        form: row(choice('url', 'origin', 'string'), { default: 'url' }),
        components: row(choice('path', 'query'), { default: 'path' }),
        lifetimeSeconds: row(whole(SIGNATURE_SECONDS.least, SIGNATURE_SECONDS.most, 'seconds'), {
          default: SIGNATURE_SECONDS.usual,
        }),
        nonce: row(boolean, { default: true }),
      }),
    ),
  }),
  scope: groupRow('ScopeOptions', {
    seeds: row(list(text('an absolute http(s) URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }), MAX_SEEDS, 1), {
      isRequired: true,
      isCheckedByOwner: true,
    }),
    within: row(choice('host', 'domain', 'list', 'surt', 'any'), {
      default: 'host',
      flag: ['--within <scope>', 'where it may go; host and domain are those of the seeds'],
    }),
    hosts: row(list(text('a host name, or host:port'), MAX_URL_PATTERNS), {
      defaultText: '`[]`',
      flag: ['--host <name>', 'with --within list: a host it may go to (repeatable)'],
    }),
    surts: row(list(text('a SURT prefix'), MAX_URL_PATTERNS), {
      defaultText: '`[]`',
      flag: ['--surt <prefix>', 'with --within surt: a SURT prefix such as (org,example, (repeatable)'],
    }),
    prefixes: row(list(text('a path that begins with /', { pattern: '^/' }), MAX_URL_PATTERNS), {
      defaultText: 'all paths',
      flag: ['--prefix <path>', 'only paths that begin with this (repeatable)'],
    }),
    include: row(patterns, {
      defaultText: 'all URLs',
      flag: ['--include <pattern>', 'only URLs that match, as in robots.txt: /docs/, /*.html$ (repeatable)'],
    }),
    exclude: row(patterns, {
      defaultText: '`[]`',
      flag: ['--exclude <pattern>', 'no URLs that match, whatever else is given (repeatable)'],
    }),
    allows: row(code<(url: string, via: Via) => boolean>('(url: string, via: Via) => boolean', isFunction)),
  }),
  bounds: groupRow(
    'BoundsOptions',
    {
      pages: row(pages, { flag: ['--pages <n>', 'maximum pages', { default: 100 }] }),
      minutes: row(minutes, { flag: ['--minutes <n>', 'maximum running time', { default: 30 }] }),
      depth: row(whole(0, MAX_DEPTH, 'links from a seed'), { flag: ['--depth <n>', 'maximum links from a seed'] }),
      bytes: row(bytes, { flag: ['--bytes <bytes>', 'maximum decoded bytes of bodies, such as 1e9'] }),
      pagesPerHost: row(pages, {
        defaultText: 'as `bounds.pages`',
        flag: ['--pages-per-host <n>', 'maximum pages of one host'],
      }),
      bytesPerHost: row(bytes, { flag: ['--bytes-per-host <bytes>', 'maximum decoded bytes of one host'] }),
      minutesPerHost: row(minutes, {
        flag: ['--minutes-per-host <n>', 'maximum running time since the first request to a host'],
      }),
      queuedUrls: row(whole(1, MAX_PAGES, 'URLs'), {
        default: 10_000_000,
        flag: ['--queued-urls <n>', 'URLs in the queue past which those of seeds and sitemaps are dropped'],
      }),
      onFull: row(choice('spill', 'drop'), {
        default: 'spill',
        flag: ['--drop-links', 'drop links past --queued-urls', { sets: 'drop' }],
      }),
    },
    ['pages', 'minutes'],
  ),
  urls: groupRow('UrlOptions', {
    trackingParameters: row(
      either(
        choice('keep', 'drop'),
        list(text('a name, with * at its end for any ending', { pattern: '^[^*]+\\*?$' })),
      ),
      {
        default: 'keep',
        flag: ['--drop-tracking', 'URLs that differ only in tracking parameters count as one', { sets: 'drop' }],
      },
    ),
    rules: row(
      list(
        code<CanonicalRule>('CanonicalRule', (rule) => typeof rule === 'object' && rule !== null && 'apply' in rule),
      ),
      { defaultText: '`CANONICAL_RULES`' },
    ),
  }),
  traps: row(
    either(
      choice(false),
      group('TrapOptions', {
        action: row(choice('defer', 'drop'), {
          default: 'defer',
          flag: ['--drop-traps', 'drop the URLs of endless spaces instead of requesting them last', { sets: 'drop' }],
        }),
        maxSimilarPages: row(whole(16, MAX_SIMILAR_PAGES, 'pages'), { default: 128 }),
        maxPathSegments: row(whole(4, MAX_PATH_SEGMENTS, 'segments'), { default: 32 }),
        maxQueryParameters: row(whole(4, MAX_QUERY_PARAMETERS, 'parameters'), { default: 32 }),
      }),
    ),
    {
      default: defaultsOfRows,
      defaultText: 'on',
      flag: ['--no-traps', 'follow endless URL spaces too, as far as the bounds go', { sets: false }],
    },
  ),
  nearDuplicates: row(either(choice('tell', 'drop'), choice(false)), {
    default: false,
    flag: ['--near-duplicates <what>', 'compare the text of pages: tell, or drop those that say nearly the same'],
  }),
};
