// The sections of the report page that are drawn: the places for the plots, their words and keys. The script draws.

import { number, plural } from './figures.js';
import { escaped, shareBar, tableHtml } from './markup.js';
import type { ReportData } from './report-data.js';

/** Requests and silences over time, and the gaps of one host. @throws Never */
export function timeHtml({ timeline, totals }: ReportData): string {
  const { hosts, points, pointsLeftOut } = timeline;
  const options = hosts.map((host) => `<option>${escaped(host)}</option>`);
  const shown =
    pointsLeftOut === 0
      ? 'every request'
      : `${number(points.length)} of ${number(totals.requests)} requests, the tightest of every host among them`;
  return `<section id="time" aria-labelledby="time-title">
<h2 id="time-title">Requests over time</h2>
<figure><figcaption><strong>Who was asked when.</strong> One lane per host (${plural(hosts.length, 'host')} with most requests), ${shown}; bars are silences that were asked for. Drag to look closer, double-click for the whole.</figcaption>
<div class="plot" data-plot="lanes" role="img" aria-label="Requests of ${plural(hosts.length, 'host')} over time; the tables of hosts and pauses say the same in figures"></div>
<ul class="key">${KEY.map(([name, label]) => dot(name, label)).join('')}${dot('pause', 'silence asked for', true)}</ul></figure>
<figure><figcaption><strong>The gap before each request, and what was required.</strong> Polite is on or above its own mark.</figcaption>
<div class="tools needs-js"><label>Host <select id="gap-host">${options.join('')}</select></label></div>
<div class="plot" data-plot="gaps" role="img" aria-label="Gap before each request of the chosen host, beside the required one; the table of hosts has the tightest"></div>
<ul class="key">${dot('ok', 'gap')}${dot('required', 'required', true)}</ul></figure>
</section>`;
}

/** Statuses, sizes and depth. @throws Never */
export function answersHtml({ statuses, depths }: ReportData): string {
  const most = statuses[0]?.requests ?? 0;
  return `<section id="answers" aria-labelledby="answers-title">
<h2 id="answers-title">What was answered</h2>
${tableHtml({
  id: 'statuses-table',
  caption: 'Requests by status, or by what went wrong.',
  columns: [
    { label: 'Status', kind: 'text' },
    { label: 'Requests', kind: 'number' },
    { label: 'Share', kind: 'bar' },
  ],
  rows: statuses.map(({ status, requests }) => ({
    cells: [{ html: escaped(status) }, { html: number(requests), sort: requests }, { html: shareBar(requests, most) }],
  })),
})}
<div class="pair">
<figure><figcaption><strong>Bytes per response</strong>, as they came over the wire.</figcaption><div class="plot" data-plot="sizes" role="img" aria-label="Responses by the size of their bodies"></div></figure>
<figure><figcaption><strong>Depth</strong>: URLs by their links from a seed.</figcaption><div class="plot" data-plot="depths" role="img" aria-label="${depths
    .map((each) => `depth ${each.depth}: ${each.fetched} fetched`)
    .slice(0, 20)
    .join(', ')}"></div>
<ul class="key">${dot('ok', 'fetched', true)}${dot('client', 'excluded', true)}${dot('server', 'failed', true)}${dot('dropped', 'dropped', true)}${dot('queue', 'held', true)}</ul></figure>
</div>
</section>`;
}

/** The queue and the final words over time. @throws Never */
export function growthHtml({ progress, totals }: ReportData): string {
  const most = progress.queued.reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
  return `<section id="growth" aria-labelledby="growth-title">
<h2 id="growth-title">How the crawl grew</h2>
<figure><figcaption><strong>The queue, and URLs with a final word.</strong> ${number(most)} URLs were queued at most.</figcaption>
<div class="plot" data-plot="growth" role="img" aria-label="Over time the crawl came to ${plural(totals.outcomes.fetched, 'URL')} fetched, ${number(totals.outcomes.excluded)} excluded, ${number(totals.outcomes.dropped)} dropped, ${number(totals.outcomes.failed)} failed; at most ${number(most)} were queued"></div>
<ul class="key">${dot('queue', 'queued', true)}${dot('ok', 'fetched', true)}${dot('client', 'excluded', true)}${dot('dropped', 'dropped', true)}${dot('server', 'failed', true)}</ul></figure>
</section>`;
}

const KEY: readonly (readonly [dot: string, label: string])[] = [
  ['ok', '2xx'],
  ['moved', '3xx'],
  ['client', '4xx'],
  ['server', '5xx'],
  ['none', 'no response'],
];

function dot(name: string, label: string, isSquare = false): string {
  const shape = isSquare ? '<rect width="10" height="10"/>' : '<circle cx="5" cy="5" r="4.5"/>';
  return `<li><svg class="dot-${name}" viewBox="0 0 10 10" fill="currentColor" aria-hidden="true">${shape}</svg>${label}</li>`;
}
