// Settings that are bolder than a site may expect, one sentence each, for whoever reads the report.

import { resolvePoliteness } from '@mannerly/frontier';
import { resolveAccessOptions } from '@mannerly/robots/access';
import { relaxedExclusionDefaults } from '../page/exclusion-options.js';
import type { ResolvedOptions } from './options.js';

const DAY_MS = 86_400_000;
const DAY_S = 86_400;
/** What access §5 gives a site whose robots.txt cannot be had. */
const UNREACHABLE_DAYS = 30;

/**
 * The departures of a crawl.
 *
 * @throws Never; options that a package refuses were refused before.
 */
export function relaxedDefaultsOf({ profile, robots, exclusion, network }: ResolvedOptions): string[] {
  const { warning } = resolvePoliteness(profile === undefined ? {} : { profile });
  return [
    ...(warning === null ? [] : [warning]),
    ...relaxedRobotsDefaults(robots),
    ...relaxedNetworkDefaults(network),
    ...relaxedExclusionDefaults(exclusion),
  ];
}

function relaxedNetworkDefaults({ cookies, allowUnpinnedDns }: ResolvedOptions['network']): string[] {
  return [
    ...(cookies === null
      ? []
      : [
          '`network.cookies` is on: sites can tell requests of this crawl from each other, and pages may differ for it',
        ]),
    ...(allowUnpinnedDns
      ? [
          '`network.allowUnpinnedDns` is true: a name can lead to another address than the one that the guard has judged',
        ]
      : []),
  ];
}

function relaxedRobotsDefaults(robots: ResolvedOptions['robots']): string[] {
  const { crawlDelay, visitTime = 'hold', policy = 'declared', requestRateMode = 'spaced' } = robots;
  const { accessProfile, onForbidden, afterUnreachable, unreachableDays, dialect } = robots;
  const access = resolveAccessOptions({
    dialect,
    policy,
    accessProfile,
    onForbidden,
    afterUnreachable,
    unreachableDays,
  });
  const maxSeconds = crawlDelay?.maxSeconds ?? DAY_S;
  const days = access.unreachableMs / DAY_MS;
  const visitsUnknown = !['hold', 'copy-or-hold'].includes(access.afterUnreachable);
  const rows: readonly (readonly [isRelaxed: boolean, sentence: string])[] = [
    [
      maxSeconds < DAY_S && crawlDelay?.onOverMax !== 'skip-host',
      `\`robots.crawlDelay.maxSeconds\` is ${maxSeconds}: a longer Crawl-delay is cut to that`,
    ],
    [visitTime !== 'hold', `\`robots.visitTime\` is ${visitTime}: hosts are visited outside their Visit-time`],
    [policy === 'base', '`robots.policy` is base: what files declare for newer readers has no effect'],
    [policy === 'declared-only', '`robots.policy` is declared-only: URLs that RFC 9309 closes may be fetched'],
    [requestRateMode === 'bucket', '`robots.requestRateMode` is bucket: a Request-rate allows bursts'],
    [
      visitsUnknown,
      `\`robots.afterUnreachable\` is ${access.afterUnreachable}: hosts whose robots.txt cannot be had may be visited after ${days} days`,
    ],
    [
      days < UNREACHABLE_DAYS && access.afterUnreachable !== 'hold',
      `\`robots.unreachableDays\` is ${days}: an old robots.txt is used again after that`,
    ],
  ];
  return rows.flatMap(([isRelaxed, sentence]) => (isRelaxed ? [sentence] : []));
}
