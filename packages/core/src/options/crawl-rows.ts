// Rows of the options about who crawls, where, how much, and what counts as one URL.

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
  integer,
  isFunction,
  json,
  list,
  number,
  patterns,
  place,
  row,
  text,
  webUrl,
} from './row.js';

const token = text('a product token of letters, digits, - and _', {
  pattern: '^[A-Za-z0-9_-]+$',
  max: MAX_TOKEN_LENGTH,
});
const pages = integer(1, MAX_PAGES, 'pages');
const minutes = number(0, MAX_MINUTES, 'minutes', true);
const bytes = integer(1, Number.MAX_SAFE_INTEGER, 'bytes');
/** Two labels or more. */
const HOST_NAME = '^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$';

const seed = group('SeedOptions', {
  url: row(webUrl, 'The URL.', { isRequired: true }),
  label: row(text('a label'), "Selects the handler, as in `on('label:x', …)`."),
  userData: row(json, 'Passed to the handler as `page.userData`.'),
});

export const CRAWL_ROWS = {
  identity: groupRow('Who is crawling. The name and the contact are in every request.', 'IdentityOptions', {
    name: row(token, 'The product token that sites address in robots.txt. Another name means another crawl.', {
      isRequired: true,
      isCheckedByOwner: true,
      flag: ['--name <token>', 'your product token for robots.txt, such as tidepool-study'],
    }),
    contact: row(
      text('an http(s) URL or an email address', { max: MAX_CONTACT_LENGTH }),
      'Where site operators can reach you: an http(s) URL or an email address. It is in the User-Agent of every ' +
        'request, an email address also in `From`.',
      {
        isRequired: true,
        isCheckedByOwner: true,
        flag: ['--contact <url-or-mail>', 'a page or mailbox where sites can reach you; sent with every request'],
      },
    ),
    version: row(
      text('letters, digits, ., -, _ and +', { pattern: '^[A-Za-z0-9._+-]+$', max: MAX_TOKEN_LENGTH }),
      'The version after the name in the User-Agent.',
      { default: '1.0', isCheckedByOwner: true },
    ),
    tokens: row(
      list(token, MAX_TOKENS, 1),
      'The product tokens to look for in robots.txt, the preferred one first. Each must occur in the User-Agent.',
      { defaultText: '`[name]`', isCheckedByOwner: true },
    ),
    page: row(
      text('an https URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://', max: MAX_CONTACT_LENGTH }),
      'A page about the crawler, such as `about.html` of `mannerly identity publish`. It is in the User-Agent if ' +
        '`contact` is a mailbox, and in the card.',
      { isCheckedByOwner: true },
    ),
    egress: row(
      list(text('a range of public addresses such as 192.0.2.0/28'), MAX_EGRESS_RANGES),
      'The addresses that requests come from, as listed in `ips.json`. A crawl from another public address stops ' +
        '(`egress-not-listed`). Behind NAT this cannot be checked.',
      { default: [] },
    ),
    domain: row(
      text('a domain name', { pattern: HOST_NAME, max: 253 }),
      'The domain of the host names of these addresses, shown on the page. You set the names yourself (reverse ' +
        'DNS).',
    ),
    signature: row(
      group('SignatureOptions', {
        key: row(
          place,
          'Where the Ed25519 private key is: `file:PATH`, readable only by you, or `env:NAME`. PKCS#8 PEM or JWK. A ' +
            'path in a configuration file is relative to that file.',
          { isCheckedByOwner: true, defaultText: 'none; this or `sign`' },
        ),
        sign: row(
          code<Signer['sign']>('(bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>', isFunction),
          'Signs with a key kept elsewhere and returns the 64 bytes of an Ed25519 signature. Needs `keyid`.',
        ),
        keyid: row(
          text('the thumbprint of a key', { pattern: '^[A-Za-z0-9_-]{43}$' }),
          'With `sign`: the thumbprint of its public key (RFC 7638).',
        ),
        agent: row(
          text('an https URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }),
          'The https URL of your key directory: your identity for verifiers.',
          { isRequired: true, isCheckedByOwner: true },
        ),
        form: row(
          choice('url', 'origin', 'string'),
          'The form of the current draft (`url`), of an earlier one (`origin`), or the one that Cloudflare accepts ' +
            '(`string`).',
          { default: 'url' },
        ),
        components: row(
          choice('path', 'query'),
          'What is signed: method, host and path, or also the query, which some caches reorder.',
          { default: 'path' },
        ),
        lifetimeSeconds: row(
          integer(SIGNATURE_SECONDS.min, SIGNATURE_SECONDS.max, 'seconds'),
          'How long a signature is valid.',
          { default: SIGNATURE_SECONDS.default },
        ),
        nonce: row(boolean, 'Put a random nonce in each signature, so that a strict site can refuse a replay.', {
          default: true,
        }),
      }),
      'Signs every https request, so that sites can verify [who sent it](../identity.md). Without it, nothing is ' +
        'signed.',
    ),
  }),
  scope: groupRow('Where the crawl may go. [Scope](../scope.md) says exactly what matches.', 'ScopeOptions', {
    seeds: row(
      list(either(webUrl, seed), MAX_SEEDS, 1),
      'Absolute http(s) URLs where the crawl starts, or `{ url, label, userData }`. The port of a seed is allowed, as ' +
        'with `network.ports`.',
      { isRequired: true, isCheckedByOwner: true },
    ),
    within: row(
      choice('host', 'domain', 'list', 'surt', 'any'),
      'What is in scope. `host`: the host names of the seeds. `domain`: their registrable domains. `list`: the ' +
        'hosts in `hosts`. `surt`: URLs that begin with one of `surts`. `any`: every host that a link leads to, ' +
        'until a bound ends the crawl.',
      { default: 'host', flag: ['--within <scope>', 'where the crawl may go; host and domain are those of the seeds'] },
    ),
    hosts: row(
      list(text('a host name, or host:port'), MAX_URL_PATTERNS),
      'Host names, or `host:port`. Required with `within: list`.',
      { defaultText: '`[]`', flag: ['--host <name>', 'with --within list: a host in scope (repeatable)'] },
    ),
    surts: row(
      list(text('a SURT prefix'), MAX_URL_PATTERNS),
      'SURT prefixes such as `(org,example,`. Required with `within: surt`, an error without it.',
      {
        defaultText: '`[]`',
        flag: ['--surt <prefix>', 'with --within surt: a SURT prefix such as (org,example, (repeatable)'],
      },
    ),
    prefixes: row(
      list(text('a path that begins with /', { pattern: '^/' }), MAX_URL_PATTERNS),
      'Only URLs whose path begins with one of these.',
      { defaultText: 'all paths', flag: ['--prefix <path>', 'only paths that begin with this (repeatable)'] },
    ),
    include: row(
      patterns,
      'Only URLs that match one of these patterns, written as in robots.txt. Seeds must match too.',
      {
        defaultText: 'all URLs',
        flag: ['--include <pattern>', 'only URLs that match, as in robots.txt: /docs/, /*.html$ (repeatable)'],
      },
    ),
    exclude: row(patterns, 'Never URLs that match one of these patterns, whatever the other options say.', {
      defaultText: '`[]`',
      flag: ['--exclude <pattern>', 'never URLs that match, whatever else is given (repeatable)'],
    }),
    allows: row(
      code<(url: string, via: Via) => boolean>('(url: string, via: Via) => boolean', isFunction),
      'Called last, with a URL that all other options allow, and with how it was found. `false` or an exception ' +
        'refuses the URL.',
    ),
  }),
  bounds: groupRow(
    'How much the crawl may fetch. `pages` or `minutes` is required. Bounds apply to all runs and processes of ' +
      'a crawl together. URLs beyond a bound are *dropped* as `bound-…`. With larger bounds the same crawl ' +
      'continues.',
    'BoundsOptions',
    {
      pages: row(pages, 'URLs that ended with a response or a final failure; redirects and retries do not count.', {
        flag: ['--pages <n>', 'maximum pages', { default: 100 }],
      }),
      minutes: row(minutes, 'Running time. Pauses do not count.', {
        flag: ['--minutes <n>', 'maximum running time', { default: 30 }],
      }),
      depth: row(
        integer(0, MAX_DEPTH, 'links from a seed'),
        'Links from a seed. Redirects and links with `rel=next` keep the depth of their page.',
        { flag: ['--depth <n>', 'maximum links from a seed'] },
      ),
      bytes: row(bytes, 'Decoded bytes of bodies. Requests in flight when the bound is reached are completed.', {
        flag: ['--bytes <bytes>', 'maximum decoded bytes of bodies, such as 1e9'],
      }),
      pagesPerHost: row(pages, 'Pages from one host.', {
        defaultText: 'as `bounds.pages`',
        flag: ['--pages-per-host <n>', 'maximum pages of one host'],
      }),
      bytesPerHost: row(
        bytes,
        'Decoded bytes from one host, robots.txt included. The response that reaches the bound is kept whole.',
        { flag: ['--bytes-per-host <bytes>', 'maximum decoded bytes of one host'] },
      ),
      minutesPerHost: row(minutes, 'Running time since the first request to a host.', {
        flag: ['--minutes-per-host <n>', 'maximum running time since the first request to a host'],
      }),
      queuedUrls: row(
        integer(1, MAX_PAGES, 'URLs'),
        'URLs in the queue at a time. Beyond it, URLs of seeds and sitemaps are dropped as `frontier-full`, seeds ' +
          'until the next run. `bounds.onFull` decides about links.',
        {
          default: 10_000_000,
          flag: ['--queued-urls <n>', 'URLs in the queue, beyond which those of seeds and sitemaps are dropped'],
        },
      ),
      onFull: row(
        choice('spill', 'drop'),
        'Links beyond `bounds.queuedUrls`: `spill` keeps them in the store, on disk or on a server, up to its own ' +
          'limit; `drop` drops them as `frontier-full`. A crawl without a directory or store always drops them.',
        { default: 'spill', flag: ['--drop-links', 'drop links beyond --queued-urls', { sets: 'drop' }] },
      ),
    },
    ['pages', 'minutes'],
  ),
  urls: groupRow('Which URLs count as the same. See [URLs](../urls.md).', 'UrlOptions', {
    trackingParameters: row(
      either(
        choice('keep', 'drop'),
        list(text('a name, with * at its end for any ending', { pattern: '^[^*]+\\*?$' })),
      ),
      'With `drop`, or with a list of names (`*` at the end matches any ending), URLs that differ only in ' +
        'tracking parameters count as one. The first one found is requested.',
      {
        default: 'keep',
        flag: ['--drop-tracking', 'URLs that differ only in tracking parameters count as one', { sets: 'drop' }],
      },
    ),
    rules: row(
      list(
        code<CanonicalRule>('CanonicalRule', (rule) => typeof rule === 'object' && rule !== null && 'apply' in rule),
      ),
      'Canonicalization rules in place of the default ones. `trackingParameters` must be absent.',
      { defaultText: '`CANONICAL_RULES`' },
    ),
  }),
  traps: row(
    either(
      choice(false),
      group('TrapOptions', {
        action: row(
          choice('defer', 'drop'),
          'Request the URLs of a trap only when their host has nothing else (`defer`), or drop them.',
          {
            default: 'defer',
            flag: ['--drop-traps', 'drop URLs of endless spaces instead of requesting them last', { sets: 'drop' }],
          },
        ),
        maxSimilarPages: row(
          integer(16, MAX_SIMILAR_PAGES, 'pages'),
          'Similar pages of a group in a row, after which links from such pages go last.',
          { default: 128 },
        ),
        maxPathSegments: row(integer(4, MAX_PATH_SEGMENTS, 'segments'), 'Segments in a path. Longer paths go last.', {
          default: 32,
        }),
        maxQueryParameters: row(
          integer(4, MAX_QUERY_PARAMETERS, 'parameters'),
          'Parameters in a query. Longer queries go last.',
          { default: 32 },
        ),
      }),
    ),
    'How endless URL spaces are detected ([traps](../traps.md)). `false` follows them up to the bounds. Larger ' +
      'numbers cost sites more requests for pages without new content.',
    {
      default: defaultsOfRows,
      defaultText: 'on',
      flag: ['--no-traps', 'follow endless URL spaces too, up to the bounds', { sets: false }],
    },
  ),
  nearDuplicates: row(
    either(choice('tell', 'drop'), choice(false)),
    'Compare the text of each HTML page with earlier ones ([near duplicates](../content.md#near-duplicates)). ' +
      '`tell`: `page.similarTo`, the decision log and the report name the first page with nearly the same text. ' +
      '`drop`: such a page goes to no handler, and its links are not followed.',
    {
      default: false,
      flag: [
        '--near-duplicates <what>',
        'compare the text of pages: report those that are nearly the same (tell), or drop them',
      ],
    },
  ),
};
