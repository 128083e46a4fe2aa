// Rows of the options about pace, robots.txt, and what pages say of their use.

import type { PolitenessProfileName } from '@mannerly/frontier';
import { resolveAccessOptions } from '@mannerly/robots/access';
import type { ContentUse, Purpose } from '@mannerly/robots/page';
import { MAX_LICENSE_ORIGINS, MAX_LICENSES_ACCEPTED } from './limits.js';
import {
  boolean,
  choice,
  defaultsOfRows,
  either,
  group,
  groupRow,
  list,
  number,
  row,
  type Shape,
  text,
  whole,
} from './row.js';

const DAY_MS = 86_400_000;
const applies = choice('respect', 'observe', 'off');
const isRespected = choice('respect', 'ignore');
const dialects = choice('rfc9309', 'google', '1996', '1994');
const VISITED = 'hosts whose robots.txt cannot be read may be visited after `robots.unreachableDays`';

/** What follows when robots.txt stays unreachable, be it given or the default of dialect and policy. */
function afterUnreachable(given: Readonly<Record<string, unknown>>): string {
  const names = ['dialect', 'policy', 'accessProfile', 'afterUnreachable'];
  const said = names.flatMap((name) => (given[name] === null ? [] : [[name, given[name]]]));
  return resolveAccessOptions(Object.fromEntries(said)).afterUnreachable;
}

/** Whether a value that sets other defaults leaves hosts held. */
function isHeld(given: Readonly<Record<string, unknown>>): boolean {
  return given['afterUnreachable'] !== null || afterUnreachable(given).endsWith('hold');
}

/** How slowly the crawl goes, how robots.txt is read, and what pages say of their use. */
export const POLITENESS_ROWS = {
  politeness: groupRow(
    'How slowly the crawl goes. The pause runs from the end of one exchange with a host to the start of the next. ' +
      'Crawl-delay, Request-rate, Retry-After and earlier refusals only make it longer, and the strictest option wins. ' +
      'A host gets one request at a time, whatever `network.concurrency` is.',
    'PolitenessOptions',
    {
      profile: row(
        either(
          choice('polite', 'gentle', '1996-rule-of-thumb') satisfies Shape<PolitenessProfileName>,
          group('CustomPoliteness', {
            factor: row(
              number(0, 1_000, 'times the last retrieval time'),
              'A slow response is followed by a long pause.',
              { isRequired: true },
            ),
            minMs: row(number(0, DAY_MS, 'ms'), 'The shortest pause. Less than 1,000 is for hosts of your own.', {
              isRequired: true,
              relaxed: [{ below: 1_000 }, 'hosts that ask for nothing may be visited more than once a second'],
            }),
            maxMs: row(
              number(0, DAY_MS, 'ms, not less than `minMs`'),
              'The longest pause that `factor` can lead to. It does not shorten what a site asks for.',
              { isRequired: true },
            ),
          }),
        ),
        'The pause where a site asks for none. `polite`: 2 × the last retrieval time, 1 to 60 s. `gentle`: 5 ×, 3 to 60 s. ' +
          '`1996-rule-of-thumb`: 2 ×, at least 10 s, and a Request-rate replaces it. Or an object with the next three.',
        { default: 'polite', flag: ['--profile <name>', 'pace where a site asks for none'] },
      ),
      perDomain: row(
        boolean,
        'Hosts of one registrable domain share a queue and a clock. Bounds per host then count a domain.',
        { default: false, flag: ['--per-domain', 'treat hosts of one registrable domain as one'] },
      ),
      perIp: row(
        either(boolean, choice('domain')),
        'Hosts on one address get one request at a time, with the longer interval of two hosts between their requests: ' +
          'those of one registrable domain (`domain`), all, or none.',
        {
          default: 'domain',
          flag: ['--per-ip', 'treat hosts on one address as one, whatever their domains'],
          relaxed: [[false], 'names of one domain that lead to one server may be requested at the same time'],
        },
      ),
      quietHours: row(
        choice('off', 'prefer'),
        '`prefer`: of hosts that are due, those go first whose people sleep, between one and six in the country of their ' +
          'top-level domain. No host is asked sooner or more often.',
        { default: 'off' },
      ),
      requestsPerSecond: row(
        number(1 / 3_600, 10_000, 'requests per second'),
        'Requests of the whole crawl, robots.txt included, evenly spaced.',
        { flag: ['--requests-per-second <n>', 'maximum requests per second of the whole crawl'] },
      ),
      jitter: row(number(0, 0.1, ', a share'), "Share of a host's pause that may be added at random.", {
        default: 0,
        flag: ['--jitter <share>', "share of a host's pause that may be added at random"],
      }),
    },
  ),
  robots: groupRow(
    'How robots.txt is read, and what happens when it cannot be read. ' +
      '[`@mannerly/robots`](../../packages/robots/README.md#dialects) explains dialects and policies. The product tokens ' +
      'come from `identity`.',
    "Omit<RobotsOptions, 'tokens'>",
    {
      dialect: row(
        dialects,
        'The version of the protocol by which files are read that declare none. It sets the defaults of `onOversize`, ' +
          '`onForbidden` and `afterUnreachable`. `google` reads some lines more freely.',
        {
          defaultText: '`rfc9309`',
          flag: ['--robots-dialect <name>', 'how robots.txt is read'],
          relaxed: [['google'], VISITED, (given) => given['accessProfile'] !== null || isHeld(given)],
        },
      ),
      policy: row(
        choice('base', 'declared', 'declared-only', 'strictest'),
        'Which rules count: those of the dialect (`base`), also those of groups that declare version 2.0.0 (`declared`), ' +
          'only the latter, or all dialects of `strictDialects` have to allow a URL.',
        {
          defaultText: '`declared`',
          flag: ['--robots-policy <name>', 'which rules count'],
          relaxed: [['base', 'declared-only'], 'URLs may be fetched that newer rules, or RFC 9309, disallow'],
        },
      ),
      strictDialects: row(
        list(dialects, 4, 1),
        'With `policy: strictest`: the dialects that all have to allow a URL.',
        { defaultText: '`rfc9309`, `google`, `1996`' },
      ),
      onOversize: row(
        choice('truncate', 'disallow-all'),
        'A file of more than 512,000 bytes: its beginning counts, or it disallows everything (`robots-oversize`).',
        { defaultText: '`truncate`; `disallow-all` in `1996`, `1994`, `strictest`' },
      ),
      ambiguousRules: row(
        choice('everything-else', 'nothing-else'),
        'Whether a 2.0.0 group with Allow and Disallow lines allows what neither names.',
        { defaultText: '`everything-else`; `nothing-else` with `strictest`' },
      ),
      maxRulesPerGroup: row(
        whole(1, Number.MAX_SAFE_INTEGER, 'rules'),
        'A group with more rules disallows everything.',
      ),
      inheritPoliteness: row(
        boolean,
        'The Crawl-delay, Request-rate and Visit-time of `*` hold too, next to those of our own group.',
        { defaultText: '`false`' },
      ),
      requestRateMode: row(
        choice('spaced', 'bucket'),
        'A Request-rate spaces every request, or allows its requests in a burst.',
        { defaultText: '`spaced`', relaxed: [['bucket'], 'a Request-rate allows bursts'] },
      ),
      cacheDelay: row(
        choice('ignore', 'as-crawl-delay'),
        'With `as-crawl-delay` a longer Cache-delay replaces the Crawl-delay.',
        { defaultText: '`ignore`' },
      ),
      accessProfile: row(
        choice('rfc9309', 'google', '1996', '1994', 'strictest'),
        'What each HTTP status of robots.txt means.',
        { defaultText: 'follows `policy` and `dialect`', relaxed: [['google'], VISITED, isHeld] },
      ),
      onForbidden: row(
        choice('allow', 'deny'),
        'Status 401 or 403 of robots.txt: no rules, or everything is disallowed (`robots-restricted`).',
        { defaultText: '`allow`; `deny` in `1996`, `1994`, `strictest`' },
      ),
      afterUnreachable: row(
        choice('copy-or-hold', 'copy-or-allow', 'allow', 'hold', 'google', 'copy-at-once'),
        'After `unreachableDays` of failures: the last good copy counts, or the host is held, or it is allowed although ' +
          'its rules are unknown. `copy-at-once`: the copy counts from the first failure on, until it is so many days old.',
        {
          defaultText: '`copy-or-hold`; `hold` in `1996`, `1994`; `google` in `google`',
          relaxed: [['copy-or-allow', 'allow', 'google', 'copy-at-once'], VISITED],
        },
      ),
      unreachableDays: row(number(1, 3_650, 'days'), 'Days from the first failure until `afterUnreachable`.', {
        defaultText: '30',
        relaxed: [
          { below: 30 },
          'an old robots.txt is used again after that',
          (given) => ['hold', 'copy-at-once'].includes(afterUnreachable(given)),
        ],
      }),
      holdMaxMs: row(
        number(0, 3_650 * DAY_MS, 'ms'),
        'A URL whose host is held longer *fails* as `robots-unreachable`.',
        { defaultText: '86,400,000 (a day)' },
      ),
      maxCrawlDelayMs: row(number(1_000, DAY_MS, 'ms'), 'A longer Crawl-delay is treated as `onLongCrawlDelay` says.', {
        default: DAY_MS,
        relaxed: [
          { below: DAY_MS },
          'a longer Crawl-delay is cut to that',
          (given) => (given as { onLongCrawlDelay?: unknown }).onLongCrawlDelay === 'skip-host',
        ],
      }),
      onLongCrawlDelay: row(
        choice('clamp', 'skip-host'),
        'The delay is cut to `maxCrawlDelayMs`, or the URLs of the host are dropped (`crawl-delay-over-max`).',
        { default: 'clamp' },
      ),
      visitTime: row(
        choice('hold', 'warn', 'ignore'),
        'Outside the Visit-time of a site its URLs are held, or visited.',
        { defaultText: '`hold`', relaxed: [['warn', 'ignore'], 'hosts are visited outside their Visit-time'] },
      ),
      cleanParam: row(
        choice('expose', 'dedupe'),
        'With `dedupe` URLs that a Clean-param line calls the same count as one. Some sites name parameters that number ' +
          'the pages of a list: those pages are lost then.',
        { defaultText: '`expose`' },
      ),
      host: row(
        choice('expose', 'canonicalize'),
        'With `canonicalize` URLs count as those of the mirror that a Host line prefers.',
        { defaultText: '`expose`' },
      ),
    },
  ),
  purposes: row(
    list(choice('search', 'archive', 'tdm', 'ai-train', 'ai-input', 'other') satisfies Shape<Purpose>),
    'What the data is for. Reservations and preferences apply by purpose, so declare what is true. `tdm`, `ai-train` and ' +
      '`ai-input` also request `/.well-known/tdmrep.json`.',
    { default: [], flag: ['--purpose <purpose>', 'what the data is for (repeatable)'] },
  ),
  pageLevel: groupRow('What pages say in robots meta elements and X-Robots-Tag.', 'PageLevelOptions', {
    noindex: row(
      choice('skip-store', 'flag', 'skip-handler', 'ignore'),
      'Items of `noindex` pages stay out of sinks, or (stricter) no handler runs, or they are kept.',
      { default: 'skip-store', relaxed: [['flag', 'ignore'], 'items of noindex pages are kept'] },
    ),
    noarchive: row(
      choice('skip-body', 'flag', 'ignore'),
      'Whether the body may go into an [archive](../archive.md) or a file.',
      { default: 'skip-body', relaxed: [['flag', 'ignore'], 'bodies of noarchive pages may be written'] },
    ),
    snippet: row(isRespected, 'Whether `page.excerpt` keeps to `nosnippet` and `max-snippet`.', {
      default: 'respect',
      relaxed: [['ignore'], 'excerpts have no limit'],
    }),
    images: row(isRespected, 'Whether images of a `noimageindex` page are left alone.', {
      default: 'respect',
      relaxed: [['ignore'], 'images of noimageindex pages are taken'],
    }),
    unavailableAfter: row(isRespected, "After its date as `noindex`, before it the item's `expiresAtMs`.", {
      default: 'respect',
      relaxed: [['ignore'], 'expiry dates are ignored'],
    }),
    robotsNoindex: row(choice('apply', 'expose'), 'Whether Noindex lines of robots.txt count as `noindex`.', {
      default: 'apply',
      relaxed: [['expose'], 'Noindex lines of robots.txt have no effect'],
    }),
  }),
  links: groupRow('Which links are followed.', 'LinkOptions', {
    pageNofollow: row(isRespected, 'The `nofollow` of a whole page.', {
      default: 'respect',
      relaxed: [['ignore'], 'links of nofollow pages are followed'],
    }),
    rel: row(
      group('RelOptions', {
        nofollow: row(boolean, 'Whether links with `rel=nofollow` are followed.', {
          default: false,
          relaxed: [[true], 'nofollow links are followed'],
        }),
        ugc: row(boolean, 'Whether links with `rel=ugc` are followed. `false` is stricter.', { default: true }),
        sponsored: row(boolean, 'Whether links with `rel=sponsored` are followed. `false` is stricter.', {
          default: true,
        }),
      }),
      'Which links are followed by the words of their `rel`.',
      { default: defaultsOfRows },
    ),
  }),
  licensing: groupRow(
    'What licences (RSL) have an effect on, by declared purpose; see [licences](../licences.md).',
    'LicensingOptions',
    {
      mode: row(applies, '`observe`: read and reported, without effect. `off`: not even read.', {
        default: 'respect',
        relaxed: [['observe', 'off'], 'licences and their prices have no effect'],
      }),
      read: row(
        choice('with-purpose', 'always', 'never'),
        'When licence documents are requested: `with-purpose`: if the crawl declares a purpose.',
        { default: 'with-purpose', relaxed: [['never'], 'licence documents are not read, whatever the purpose'] },
      ),
      party: row(
        group('LicensePartyOptions', {
          user: row(
            choice('commercial', 'non-commercial', 'education', 'government', 'personal'),
            'What the party that is responsible for the crawl is.',
          ),
          country: row(
            text('a country of two letters', { pattern: '^[A-Za-z]{2}$' }),
            'Its country, ISO 3166-1: `DE`.',
          ),
        }),
        'Who is responsible for the crawl. A licence that speaks of a party or country that is not given is not met.',
      ),
      accepted: row(
        list(text('an absolute URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }), MAX_LICENSES_ACCEPTED),
        'URLs of documents whose terms a person has read and accepted. They meet no price.',
        { default: [] },
      ),
      tokens: row(
        list(
          group('LicenseTokenOptions', {
            origin: row(text('an https origin', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^/?#]+$' }), 'Where it is sent.', {
              isRequired: true,
              isCheckedByOwner: true,
            }),
            token: row(
              text('file:PATH or env:NAME', { pattern: '^(file|env):.', path: 'behind file:' }),
              'Where the token is: `file:PATH` or `env:NAME`. It is sent to exactly this origin, with pages alone.',
              { isRequired: true, isCheckedByOwner: true },
            ),
          }),
          MAX_LICENSE_ORIGINS,
        ),
        'Licence tokens that you have obtained yourself. With one, prices of its origin count as met.',
        { default: [] },
      ),
      strict: row(
        boolean,
        'Takes `permits` at its word for archives, text and data mining and what else RSL has no word for.',
        { default: false },
      ),
      onPaymentRequired: row(choice('refuse'), 'What is done about a price. The crawl never pays.', {
        default: 'refuse',
      }),
    },
  ),
  tdm: row(applies, 'Reservations of text and data mining, for the purposes above.', {
    default: 'respect',
    relaxed: [['observe', 'off'], 'reservations for text and data mining have no effect'],
  }),
  preferences: row(
    either(
      applies,
      group('PreferenceOptions', {
        apply: row(applies, 'The same within the object.', {
          default: 'respect',
          relaxed: [['observe', 'off'], 'use preferences have no effect'],
        }),
        unknown: row(choice('allow', 'disallow'), 'What no preference means. `disallow` is stricter.', {
          default: 'allow',
        }),
        contentUse: row(
          choice('immediate', 'reference', 'full', null) satisfies Shape<ContentUse | null>,
          'The level of use that you declare. A page that allows less is excluded as `content-use`.',
          { defaultText: '`null`' },
        ),
      }),
    ),
    'Content-Usage, Content-Signal and `noai`, for the purposes above.',
    { default: 'respect', relaxed: [['observe', 'off'], 'use preferences have no effect'] },
  ),
  canonical: row(
    choice('expose', 'dedupe', 'follow'),
    'A page that names a canonical URL: it is only shown, or also queued (`follow`), or queued in place of this page ' +
      '(`dedupe`).',
    { default: 'expose' },
  ),
  indexInstead: row(
    choice('respect', 'expose'),
    'A page that names another URL to keep: that one is queued, and this one is not kept.',
    { default: 'respect', relaxed: [['expose'], 'pages that name another URL to keep are kept themselves'] },
  ),
};
