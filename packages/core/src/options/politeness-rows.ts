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
  politeness: groupRow('PolitenessOptions', {
    profile: row(
      either(
        choice('polite', 'gentle', '1996-rule-of-thumb') satisfies Shape<PolitenessProfileName>,
        group('CustomPoliteness', {
          factor: row(number(0, 1_000, 'times the last retrieval time'), { isRequired: true }),
          minMs: row(number(0, DAY_MS, 'ms'), {
            isRequired: true,
            relaxed: [{ below: 1_000 }, 'hosts that ask for nothing may be visited more than once a second'],
          }),
          maxMs: row(number(0, DAY_MS, 'ms, not less than `minMs`'), { isRequired: true }),
        }),
      ),
      { default: 'polite', flag: ['--profile <name>', 'pace where a site asks for none'] },
    ),
    perDomain: row(boolean, { default: false, flag: ['--per-domain', 'treat hosts of one registrable domain as one'] }),
    perIp: row(either(boolean, choice('domain')), {
      default: 'domain',
      flag: ['--per-ip', 'treat hosts on one address as one, whatever their domains'],
      relaxed: [[false], 'names of one domain that lead to one server may be requested at the same time'],
    }),
    quietHours: row(choice('off', 'prefer'), { default: 'off' }),
    requestsPerSecond: row(number(1 / 3_600, 10_000, 'requests per second'), {
      flag: ['--requests-per-second <n>', 'maximum requests per second of the whole crawl'],
    }),
    jitter: row(number(0, 0.1, ', a share'), {
      default: 0,
      flag: ['--jitter <share>', "share of a host's pause that may be added at random"],
    }),
  }),
  robots: groupRow("Omit<RobotsOptions, 'tokens'>", {
    dialect: row(dialects, {
      defaultText: '`rfc9309`',
      flag: ['--robots-dialect <name>', 'how robots.txt is read'],
      relaxed: [['google'], VISITED, (given) => given['accessProfile'] !== null || isHeld(given)],
    }),
    policy: row(choice('base', 'declared', 'declared-only', 'strictest'), {
      defaultText: '`declared`',
      flag: ['--robots-policy <name>', 'which rules count'],
      relaxed: [['base', 'declared-only'], 'URLs may be fetched that newer rules, or RFC 9309, disallow'],
    }),
    strictDialects: row(list(dialects, 4, 1), { defaultText: '`rfc9309`, `google`, `1996`' }),
    onOversize: row(choice('truncate', 'disallow-all'), {
      defaultText: '`truncate`; `disallow-all` in `1996`, `1994`, `strictest`',
    }),
    ambiguousRules: row(choice('everything-else', 'nothing-else'), {
      defaultText: '`everything-else`; `nothing-else` with `strictest`',
    }),
    maxRulesPerGroup: row(whole(1, Number.MAX_SAFE_INTEGER, 'rules')),
    inheritPoliteness: row(boolean, { defaultText: '`false`' }),
    requestRateMode: row(choice('spaced', 'bucket'), {
      defaultText: '`spaced`',
      relaxed: [['bucket'], 'a Request-rate allows bursts'],
    }),
    cacheDelay: row(choice('ignore', 'as-crawl-delay'), { defaultText: '`ignore`' }),
    accessProfile: row(choice('rfc9309', 'google', '1996', '1994', 'strictest'), {
      defaultText: 'follows `policy` and `dialect`',
      relaxed: [['google'], VISITED, isHeld],
    }),
    onForbidden: row(choice('allow', 'deny'), { defaultText: '`allow`; `deny` in `1996`, `1994`, `strictest`' }),
    afterUnreachable: row(choice('copy-or-hold', 'copy-or-allow', 'allow', 'hold', 'google', 'copy-at-once'), {
      defaultText: '`copy-or-hold`; `hold` in `1996`, `1994`; `google` in `google`',
      relaxed: [['copy-or-allow', 'allow', 'google', 'copy-at-once'], VISITED],
    }),
    unreachableDays: row(number(1, 3_650, 'days'), {
      defaultText: '30',
      relaxed: [
        { below: 30 },
        'an old robots.txt is used again after that',
        (given) => ['hold', 'copy-at-once'].includes(afterUnreachable(given)),
      ],
    }),
    holdMaxMs: row(number(0, 3_650 * DAY_MS, 'ms'), { defaultText: '86,400,000 (a day)' }),
    maxCrawlDelayMs: row(number(1_000, DAY_MS, 'ms'), {
      default: DAY_MS,
      relaxed: [
        { below: DAY_MS },
        'a longer Crawl-delay is cut to that',
        (given) => (given as { onLongCrawlDelay?: unknown }).onLongCrawlDelay === 'skip-host',
      ],
    }),
    onLongCrawlDelay: row(choice('clamp', 'skip-host'), { default: 'clamp' }),
    visitTime: row(choice('hold', 'warn', 'ignore'), {
      defaultText: '`hold`',
      relaxed: [['warn', 'ignore'], 'hosts are visited outside their Visit-time'],
    }),
    cleanParam: row(choice('expose', 'dedupe'), { defaultText: '`expose`' }),
    host: row(choice('expose', 'canonicalize'), { defaultText: '`expose`' }),
  }),
  purposes: row(list(choice('search', 'archive', 'tdm', 'ai-train', 'ai-input', 'other') satisfies Shape<Purpose>), {
    default: [],
    flag: ['--purpose <purpose>', 'what the data is for (repeatable)'],
  }),
  pageLevel: groupRow('PageLevelOptions', {
    noindex: row(choice('skip-store', 'flag', 'skip-handler', 'ignore'), {
      default: 'skip-store',
      relaxed: [['flag', 'ignore'], 'items of noindex pages are kept'],
    }),
    noarchive: row(choice('skip-body', 'flag', 'ignore'), {
      default: 'skip-body',
      relaxed: [['flag', 'ignore'], 'bodies of noarchive pages may be written'],
    }),
    snippet: row(isRespected, { default: 'respect', relaxed: [['ignore'], 'excerpts have no limit'] }),
    images: row(isRespected, { default: 'respect', relaxed: [['ignore'], 'images of noimageindex pages are taken'] }),
    unavailableAfter: row(isRespected, { default: 'respect', relaxed: [['ignore'], 'expiry dates are ignored'] }),
    robotsNoindex: row(choice('apply', 'expose'), {
      default: 'apply',
      relaxed: [['expose'], 'Noindex lines of robots.txt have no effect'],
    }),
  }),
  links: groupRow('LinkOptions', {
    pageNofollow: row(isRespected, {
      default: 'respect',
      relaxed: [['ignore'], 'links of nofollow pages are followed'],
    }),
    rel: row(
      group('RelOptions', {
        nofollow: row(boolean, { default: false, relaxed: [[true], 'nofollow links are followed'] }),
        ugc: row(boolean, { default: true }),
        sponsored: row(boolean, { default: true }),
      }),
      { default: defaultsOfRows },
    ),
  }),
  licensing: groupRow('LicensingOptions', {
    mode: row(applies, {
      default: 'respect',
      relaxed: [['observe', 'off'], 'licences and their prices have no effect'],
    }),
    read: row(choice('with-purpose', 'always', 'never'), {
      default: 'with-purpose',
      relaxed: [['never'], 'licence documents are not read, whatever the purpose'],
    }),
    party: row(
      group('LicensePartyOptions', {
        user: row(choice('commercial', 'non-commercial', 'education', 'government', 'personal')),
        country: row(text('a country of two letters', { pattern: '^[A-Za-z]{2}$' })),
      }),
    ),
    accepted: row(list(text('an absolute URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }), MAX_LICENSES_ACCEPTED), {
      default: [],
    }),
    tokens: row(
      list(
        group('LicenseTokenOptions', {
          origin: row(text('an https origin', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^/?#]+$' }), {
            isRequired: true,
            isCheckedByOwner: true,
          }),
          token: row(text('file:PATH or env:NAME', { pattern: '^(file|env):.', path: 'behind file:' }), {
            isRequired: true,
            isCheckedByOwner: true,
          }),
        }),
        MAX_LICENSE_ORIGINS,
      ),
      { default: [] },
    ),
    strict: row(boolean, { default: false }),
    onPaymentRequired: row(choice('refuse'), { default: 'refuse' }),
  }),
  tdm: row(applies, {
    default: 'respect',
    relaxed: [['observe', 'off'], 'reservations for text and data mining have no effect'],
  }),
  preferences: row(
    either(
      applies,
      group('PreferenceOptions', {
        apply: row(applies, { default: 'respect', relaxed: [['observe', 'off'], 'use preferences have no effect'] }),
        unknown: row(choice('allow', 'disallow'), { default: 'allow' }),
        contentUse: row(choice('immediate', 'reference', 'full', null) satisfies Shape<ContentUse | null>, {
          defaultText: '`null`',
        }),
      }),
    ),
    { default: 'respect', relaxed: [['observe', 'off'], 'use preferences have no effect'] },
  ),
  canonical: row(choice('expose', 'dedupe', 'follow'), { default: 'expose' }),
  indexInstead: row(choice('respect', 'expose'), {
    default: 'respect',
    relaxed: [['expose'], 'pages that name another URL to keep are kept themselves'],
  }),
};
