// Rows of the options about pace, robots.txt, and what pages say about their use.

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
  integer,
  list,
  number,
  place,
  row,
  type Shape,
  text,
} from './row.js';

const DAY_MS = 86_400_000;
const applies = choice('respect', 'observe', 'off');
const isRespected = choice('respect', 'ignore');
const dialects = choice('rfc9309', 'google', '1996', '1994');
const VISITED = 'hosts whose robots.txt cannot be read may be visited after `robots.unreachableDays`';

/** What happens if robots.txt stays unreachable, whether given or the default of dialect and policy. */
function afterUnreachable(given: Readonly<Record<string, unknown>>): string {
  const names = ['dialect', 'policy', 'accessProfile', 'afterUnreachable'];
  const givenEntries = names.flatMap((name) => (given[name] === null ? [] : [[name, given[name]]]));
  return resolveAccessOptions(Object.fromEntries(givenEntries)).afterUnreachable;
}

/** Whether a value that sets other defaults leaves hosts held. */
function leavesHostsHeld(given: Readonly<Record<string, unknown>>): boolean {
  return given['afterUnreachable'] !== null || afterUnreachable(given).endsWith('hold');
}

/** How slowly the crawl goes, how robots.txt is read, and what pages say about their use. */
export const POLITENESS_ROWS = {
  politeness: groupRow(
    'How slowly the crawl goes. A pause runs from the end of one exchange with a host to the start of the ' +
      'next. Crawl-delay, Request-rate, Retry-After and earlier refusals only make it longer, and the strictest ' +
      'option wins. A host gets one request at a time, whatever `network.concurrency` is.',
    'PolitenessOptions',
    {
      profile: row(
        either(
          choice('polite', 'gentle', '1996-rule-of-thumb') satisfies Shape<PolitenessProfileName>,
          group('CustomPoliteness', {
            factor: row(
              number(0, 1_000, 'times the last retrieval time'),
              'The longer the last retrieval took, the longer the pause.',
              { default: 2 },
            ),
            minMs: row(number(0, DAY_MS, 'ms'), 'The shortest pause. Less than 1,000 is for your own hosts only.', {
              default: 1_000,
              relaxed: [
                { below: 1_000 },
                'hosts without a Crawl-delay or Request-rate may get more than one request a second',
              ],
            }),
            maxMs: row(
              number(0, DAY_MS, 'ms, not less than `minMs`'),
              'The longest pause that `factor` can lead to. It does not shorten a pause that the site asks for.',
              { defaultText: '60,000, or `minMs` where that is longer' },
            ),
          }),
        ),
        'The pause if a site asks for none. `polite`: 2 × the last retrieval time, 1 to 60 s. `gentle`: 5 ×, 3 to ' +
          '60 s. `1996-rule-of-thumb`: 2 ×, at least 10 s, and a Request-rate replaces it. Or an object with the ' +
          'next three options, such as `{ minMs: 3000 }`.',
        { default: 'polite', flag: ['--profile <name>', 'the pace if a site asks for none'] },
      ),
      perDomain: row(
        boolean,
        'Hosts of one registrable domain share a queue and a clock. Bounds per host then apply per domain.',
        { default: false, flag: ['--per-domain', 'treat hosts of one registrable domain as one'] },
      ),
      perIp: row(
        either(boolean, choice('domain')),
        'Hosts on one IP address get one request at a time, spaced by the longer interval of the two hosts. ' +
          '`domain`: hosts of one registrable domain. `true`: all hosts. `false`: none.',
        {
          default: 'domain',
          flag: ['--per-ip', 'treat hosts on one IP address as one, whatever their domains'],
          relaxed: [[false], 'hosts of one domain on the same server may get requests at the same time'],
        },
      ),
      quietHours: row(
        choice('off', 'prefer'),
        '`prefer`: of the hosts that are due, those go first where it is night, between one and six in the country ' +
          'of their top-level domain. No host gets requests sooner or more often.',
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
        'The protocol version for files that declare none. It sets the defaults of `onOversize`, `onForbidden` and ' +
          '`afterUnreachable`. `google` is more lenient with some lines.',
        {
          defaultText: '`rfc9309`',
          flag: ['--robots-dialect <name>', 'how robots.txt is read'],
          relaxed: [['google'], VISITED, (given) => given['accessProfile'] !== null || leavesHostsHeld(given)],
        },
      ),
      policy: row(
        choice('base', 'declared', 'declared-only', 'strictest'),
        'Which rules count. `base`: those of the dialect. `declared`: also those of groups that declare version ' +
          '2.0.0. `declared-only`: only the latter. `strictest`: all `strictDialects` must allow a URL.',
        {
          defaultText: '`declared`',
          flag: ['--robots-policy <name>', 'which rules count'],
          relaxed: [['base', 'declared-only'], 'URLs may be fetched although newer rules, or RFC 9309, disallow them'],
        },
      ),
      strictDialects: row(list(dialects, 4, 1), 'With `policy: strictest`: the dialects that must all allow a URL.', {
        defaultText: '`rfc9309`, `google`, `1996`',
      }),
      onOversize: row(
        choice('truncate', 'disallow-all'),
        'For a file of more than 512,000 bytes: apply the part that fits, or disallow everything ' +
          '(`robots-oversize`).',
        { defaultText: '`truncate`; `disallow-all` in `1996`, `1994`, `strictest`' },
      ),
      ambiguousRules: row(
        choice('everything-else', 'nothing-else'),
        'Whether a 2.0.0 group with Allow and Disallow lines allows URLs that neither matches.',
        { defaultText: '`everything-else`; `nothing-else` with `strictest`' },
      ),
      maxRulesPerGroup: row(
        integer(1, Number.MAX_SAFE_INTEGER, 'rules'),
        'A group with more rules disallows everything.',
      ),
      inheritPoliteness: row(
        boolean,
        'Apply the Crawl-delay, Request-rate and Visit-time of `*` in addition to those of our own group.',
        { defaultText: '`false`' },
      ),
      requestRateMode: row(
        choice('spaced', 'bucket'),
        'Whether a Request-rate spaces every request, or allows its requests in a burst.',
        { defaultText: '`spaced`', relaxed: [['bucket'], 'a Request-rate allows bursts'] },
      ),
      cacheDelay: row(
        choice('ignore', 'as-crawl-delay'),
        'With `as-crawl-delay`, a longer Cache-delay replaces the Crawl-delay.',
        { defaultText: '`ignore`' },
      ),
      accessProfile: row(
        choice('rfc9309', 'google', '1996', '1994', 'strictest'),
        'What each HTTP status for robots.txt means.',
        { defaultText: 'follows `policy` and `dialect`', relaxed: [['google'], VISITED, leavesHostsHeld] },
      ),
      onForbidden: row(
        choice('allow', 'deny'),
        'If robots.txt answers 401 or 403: there are no rules, or everything is disallowed (`robots-restricted`).',
        { defaultText: '`allow`; `deny` in `1996`, `1994`, `strictest`' },
      ),
      afterUnreachable: row(
        choice('copy-or-hold', 'copy-or-allow', 'allow', 'hold', 'google', 'copy-at-once'),
        'After `unreachableDays` of failures: use the last good copy, hold the host, or allow it although its ' +
          'rules are unknown. `copy-at-once`: use the copy from the first failure on, until it is that many days old.',
        {
          defaultText: '`copy-or-hold`; `hold` in `1996`, `1994`; `google` in `google`',
          relaxed: [['copy-or-allow', 'allow', 'google', 'copy-at-once'], VISITED],
        },
      ),
      unreachableDays: row(number(1, 3_650, 'days'), 'Days from the first failure until `afterUnreachable` applies.', {
        defaultText: '30',
        relaxed: [
          { below: 30 },
          'an old robots.txt is used again after that',
          (given) => ['hold', 'copy-at-once'].includes(afterUnreachable(given)),
        ],
      }),
      maxHoldMs: row(
        number(0, 3_650 * DAY_MS, 'ms'),
        'A URL whose host is held for longer *fails* as `robots-unreachable`.',
        { defaultText: '86,400,000 (a day)' },
      ),
      maxCrawlDelayMs: row(number(1_000, DAY_MS, 'ms'), '`onLongCrawlDelay` decides about a longer Crawl-delay.', {
        default: DAY_MS,
        relaxed: [
          { below: DAY_MS },
          'a longer Crawl-delay is cut to that',
          (given) => (given as { onLongCrawlDelay?: unknown }).onLongCrawlDelay === 'skip-host',
        ],
      }),
      onLongCrawlDelay: row(
        choice('clamp', 'skip-host'),
        'Cut the delay to `maxCrawlDelayMs`, or drop the URLs of the host (`crawl-delay-over-max`).',
        { default: 'clamp' },
      ),
      visitTime: row(
        choice('hold', 'warn', 'ignore'),
        'Whether URLs are held, or visited, outside the Visit-time of their site.',
        { defaultText: '`hold`', relaxed: [['warn', 'ignore'], 'hosts are visited outside their Visit-time'] },
      ),
      cleanParam: row(
        choice('expose', 'dedupe'),
        'With `dedupe`, URLs that are the same by a Clean-param line count as one. Some sites name pagination ' +
          'parameters there: those pages are then lost.',
        { defaultText: '`expose`' },
      ),
      host: row(
        choice('expose', 'canonicalize'),
        'With `canonicalize`, URLs count as those of the mirror that a Host line prefers.',
        { defaultText: '`expose`' },
      ),
    },
  ),
  purposes: row(
    list(choice('search', 'archive', 'tdm', 'ai-train', 'ai-input', 'other') satisfies Shape<Purpose>),
    'What the data is for; `ai-input` is retrieval (RAG) and summaries. Reservations and preferences apply by ' +
      'purpose, so declare the true ones. With `tdm`, `ai-train` and `ai-input` the crawl also requests ' +
      '`/.well-known/tdmrep.json`.',
    { default: [], flag: ['--purpose <purpose>', 'what the data is for (repeatable)'] },
  ),
  pageLevel: groupRow('What robots meta elements and X-Robots-Tag of a page mean for it.', 'PageLevelOptions', {
    noindex: row(
      choice('skip-store', 'flag', 'skip-handler', 'ignore'),
      'Keep items of `noindex` pages out of the sinks, run no handler (stricter), or keep them.',
      { default: 'skip-store', relaxed: [['flag', 'ignore'], 'items of noindex pages are kept'] },
    ),
    noarchive: row(
      choice('skip-body', 'flag', 'ignore'),
      'Whether the body may go into an [archive](../archive.md) or a file.',
      { default: 'skip-body', relaxed: [['flag', 'ignore'], 'bodies of noarchive pages may be written'] },
    ),
    snippet: row(isRespected, 'Whether `page.excerpt` respects `nosnippet` and `max-snippet`.', {
      default: 'respect',
      relaxed: [['ignore'], 'excerpts have no limit'],
    }),
    images: row(isRespected, 'Whether images of a `noimageindex` page are left alone.', {
      default: 'respect',
      relaxed: [['ignore'], 'images of noimageindex pages are taken'],
    }),
    unavailableAfter: row(
      isRespected,
      'After its date it counts as `noindex`; before, it is the `expiresAtMs` of items.',
      { default: 'respect', relaxed: [['ignore'], 'expiry dates are ignored'] },
    ),
    robotsNoindex: row(choice('apply', 'expose'), 'Whether Noindex lines of robots.txt count as `noindex`.', {
      default: 'apply',
      relaxed: [['expose'], 'Noindex lines of robots.txt have no effect'],
    }),
  }),
  links: groupRow('Which links are followed.', 'LinkOptions', {
    pageNofollow: row(isRespected, 'Whether `nofollow` for a whole page is respected.', {
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
      'Which links are followed, by their `rel` tokens.',
      { default: defaultsOfRows },
    ),
  }),
  licensing: groupRow(
    'What licences (RSL) affect, by declared purpose; see [licences](../licences.md).',
    'LicensingOptions',
    {
      mode: row(applies, '`observe`: licences are read and reported, without effect. `off`: they are not read.', {
        default: 'respect',
        relaxed: [['observe', 'off'], 'licences and their prices have no effect'],
      }),
      read: row(
        choice('with-purpose', 'always', 'never'),
        'When licence documents are requested. `with-purpose`: if the crawl declares a purpose.',
        { default: 'with-purpose', relaxed: [['never'], 'licence documents are not read, whatever the purpose'] },
      ),
      party: row(
        group('LicensePartyOptions', {
          user: row(
            choice('commercial', 'non-commercial', 'education', 'government', 'personal'),
            'The kind of party that is responsible for the crawl.',
          ),
          country: row(
            text('a country of two letters', { pattern: '^[A-Za-z]{2}$' }),
            'Its country, ISO 3166-1: `DE`.',
          ),
        }),
        'Who is responsible for the crawl. A licence that requires a kind of party or a country is not met if that ' +
          'is not given here.',
      ),
      accepted: row(
        list(text('an absolute URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }), MAX_LICENSES_ACCEPTED),
        'URLs of documents whose terms a person has read and accepted. This does not cover prices.',
        { default: [] },
      ),
      tokens: row(
        list(
          group('LicenseTokenOptions', {
            origin: row(
              text('an https origin', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^/?#]+$' }),
              'The origin that the token is sent to.',
              { isRequired: true, isCheckedByOwner: true },
            ),
            token: row(
              place,
              'Where the token is: `file:PATH` or `env:NAME`. It is sent to exactly this origin, and only with requests ' +
                'for pages.',
              { isRequired: true, isCheckedByOwner: true },
            ),
          }),
          MAX_LICENSE_ORIGINS,
        ),
        'Licence tokens that you have obtained yourself. A token covers the prices of its origin.',
        { default: [] },
      ),
      strict: row(
        boolean,
        'Interpret `permits` literally for archives, text and data mining, and other uses that RSL has no term for.',
        { default: false },
      ),
      onPaymentRequired: row(choice('refuse'), 'What happens if a site asks a price. The crawl never pays.', {
        default: 'refuse',
      }),
    },
  ),
  tdm: row(applies, 'Text and data mining reservations, for the purposes above.', {
    default: 'respect',
    relaxed: [['observe', 'off'], 'reservations for text and data mining have no effect'],
  }),
  preferences: row(
    either(
      applies,
      group('PreferenceOptions', {
        apply: row(applies, 'The same, in the object form.', {
          default: 'respect',
          relaxed: [['observe', 'off'], 'use preferences have no effect'],
        }),
        unknown: row(choice('allow', 'disallow'), 'What a missing preference means. `disallow` is stricter.', {
          default: 'allow',
        }),
        contentUse: row(
          choice('immediate', 'reference', 'full', null) satisfies Shape<ContentUse | null>,
          'The level of use you declare. A page that allows less is excluded as `content-use`.',
          { defaultText: '`null`' },
        ),
      }),
    ),
    'Content-Usage, Content-Signal and `noai`, for the purposes above.',
    { default: 'respect', relaxed: [['observe', 'off'], 'use preferences have no effect'] },
  ),
  canonical: row(
    choice('expose', 'dedupe', 'follow'),
    'For a page that names a canonical URL: only show that URL, also queue it (`follow`), or queue it in place ' +
      'of this page (`dedupe`). Then nothing of the page is kept, even if that URL is broken or redirects back.',
    { default: 'expose' },
  ),
  indexInstead: row(
    choice('respect', 'expose'),
    'For a page that names another URL to keep: queue that one, and do not keep this one.',
    { default: 'respect', relaxed: [['expose'], 'pages that name another URL to keep are kept themselves'] },
  ),
};
