// The top of the report page: whose crawl, the verdict, the key figures.

import { number, plural, seconds, size } from './figures.js';
import { escaped } from './markup.js';
import type { ReportData, ReportedHost } from './report-data.js';
import { between, length, time } from './time-words.js';

/** Title, verdict, key figures and the way to the sections. @throws Never */
export function headerHtml(data: ReportData): string {
  const { crawl, totals, audit } = data;
  const when =
    crawl.startedAtMs === null ? `begun ${time(crawl.createdAtMs)}` : between(crawl.startedAtMs, crawl.endedAtMs ?? 0);
  const agent = crawl.runs.at(-1)?.userAgent ?? crawl.name;
  const seeds = crawl.seeds.slice(0, 3).map((seed) => escaped(seed));
  const more = crawl.seedCount > seeds.length ? ` and ${number(crawl.seedCount - seeds.length)} more` : '';
  const kept = data.pauses.filter(({ isObeyed }) => isObeyed).length;
  const tight = tightestOf(data.hosts);
  const tookMs = (crawl.endedAtMs ?? 0) - (crawl.startedAtMs ?? 0);
  const figures: readonly (readonly [name: string, value: string, note: string])[] = [
    [
      'Requests',
      number(totals.requests),
      `${number(totals.pageRequests)} for pages, ${number(totals.robotsRequests)} for robots.txt`,
    ],
    ['Hosts', number(totals.hosts), plural(crawl.seedCount, 'seed')],
    ['Received', size(totals.bytes), tookMs > 0 ? `in ${length(tookMs)}` : ''],
    ['Left alone', number(totals.outcomes.excluded), 'URLs, at the sites’ wish'],
    [
      'Pauses',
      number(data.pauses.length + data.pausesLeftOut),
      data.pauses.length === kept ? 'all kept' : `${number(data.pauses.length - kept)} not kept`,
    ],
    [
      'Nearest to a limit',
      tight === null ? '–' : marginText(tight.gapMs - tight.requiredGapMs),
      tight === null ? '' : `${seconds(tight.gapMs)}, required ${seconds(tight.requiredGapMs)}`,
    ],
  ];
  const cards = figures.map(
    ([name, value, note]) => `<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  );
  const found = Object.values(audit.counts).reduce((sum, count) => sum + count, 0);
  const verdict = audit.passed
    ? [
        '',
        CHECK,
        'Polite',
        `${plural(audit.requests, 'request')} judged against what every host asked for: no violation.`,
      ]
    : totals.requests === 0
      ? ['bad', CROSS, 'Nothing to judge', 'The request log is empty.']
      : [
          'bad',
          CROSS,
          plural(found, 'violation'),
          `${plural(audit.requests, 'request')} judged. <a href="#audit">What was found</a>`,
        ];
  return `<header>
<h1>Crawl report: ${escaped(crawl.name)}</h1>
<p class="soft">${when}<br>from ${seeds.join(', ')}${more}<br>as <code>${escaped(agent)}</code></p>
<div class="verdict ${verdict[0]}">${verdict[1]}<div><h2>${verdict[2]}</h2><p>${verdict[3]}</p></div></div>
<dl class="figures">${cards.join('')}</dl>
</header>
<nav aria-label="Sections"><ul><li><a href="#hosts">Hosts</a></li><li><a href="#time">Time</a></li><li><a href="#pauses">Pauses</a></li><li><a href="#left-alone">Left alone</a></li><li><a href="#answers">Answers</a></li><li><a href="#growth">Growth</a></li><li><a href="#methods">Methods</a></li><li><a href="#audit">Audit</a></li></ul></nav>`;
}

const CHECK =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" d="M4 12.5l5 5L20 6.5"/></svg>';
const CROSS =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" d="M12 4v10m0 5v.5"/></svg>';

function tightestOf(hosts: readonly ReportedHost[]): ReportedHost['tightest'] {
  return hosts.reduce<ReportedHost['tightest']>((least, { tightest }) => {
    if (tightest === null) return least;
    return least === null || tightest.gapMs - tightest.requiredGapMs < least.gapMs - least.requiredGapMs
      ? tightest
      : least;
  }, null);
}

function marginText(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${seconds(Math.abs(ms))}`;
}
