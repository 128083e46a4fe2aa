// What sites asked for, on the report page: silences, and what was left alone because which line said so.

import { number, plural } from './figures.js';
import { escaped, shareBar, tableHtml } from './markup.js';
import type { ReportData } from './report-data.js';
import { length, time } from './time-words.js';

/** Every silence that was asked for. @throws Never */
export function pausesHtml({ pauses, pausesLeftOut }: ReportData): string {
  const rows = pauses.map(({ host, fromMs, untilMs, why, nextAtMs, isObeyed }) => ({
    cells: [
      { html: escaped(host) },
      { html: time(fromMs), sort: fromMs },
      { html: length(untilMs - fromMs), sort: untilMs - fromMs },
      { html: escaped(why, 160) },
      {
        html: nextAtMs === null ? 'none came' : `after ${length(nextAtMs - fromMs)}`,
        sort: nextAtMs === null ? null : nextAtMs - fromMs,
      },
      isObeyed
        ? { html: '<span class="tag good">kept</span>', sort: 1 }
        : { html: '<span class="tag bad">not kept</span>', sort: 0 },
    ],
  }));
  const more = pausesLeftOut === 0 ? '' : ` ${number(pausesLeftOut)} later ones are left out.`;
  const none = '<p>No host asked for silence.</p>';
  return `<section id="pauses" aria-labelledby="pauses-title">
<h2 id="pauses-title">Pauses and holds</h2>
<p>Silences that answers asked for: 429 and 503 with or without Retry-After, rows of failures, robots.txt that could not be had, closed hours.</p>
${
  rows.length === 0
    ? none
    : tableHtml({
        id: 'pauses-table',
        caption: `${plural(rows.length, 'silence')}, as they began.${more}`,
        columns: [
          { label: 'Host', kind: 'text' },
          { label: 'Began', kind: 'number' },
          { label: 'Asked for', kind: 'number' },
          { label: 'Because of', kind: 'text' },
          { label: 'Next request', kind: 'number' },
          { label: 'Kept', kind: 'number' },
        ],
        rows,
      })
}
</section>`;
}

/** Final words by reason, and the lines of robots.txt behind them. @throws Never */
export function leftAloneHtml({ reasons, rules }: ReportData): string {
  const most = reasons[0]?.urls ?? 0;
  const reasonRows = reasons.map(({ word, reason, urls, means, examples }) => ({
    cells: [
      { html: escaped(reason) },
      { html: word },
      { html: number(urls), sort: urls },
      { html: shareBar(urls, most) },
      {
        html: `${escaped(means)}${examples.length === 0 ? '' : `<br><span class="soft">${examples.map((url) => escaped(url, 120)).join('<br>')}</span>`}`,
      },
    ],
  }));
  const ruleRows = rules.map(({ authority, line, pattern, hash, receivedAtMs, urls, example }) => ({
    cells: [
      { html: `${escaped(authority)}/robots.txt` },
      { html: String(line), sort: line },
      { html: `<code>${escaped(pattern, 160)}</code>` },
      { html: number(urls), sort: urls },
      {
        html: `${hash === null ? '' : `<code>${escaped(hash)}</code> `}${receivedAtMs === null ? '' : time(receivedAtMs)}`,
        sort: receivedAtMs,
      },
      { html: escaped(example, 160) },
    ],
  }));
  return `<section id="left-alone" aria-labelledby="left-alone-title">
<h2 id="left-alone-title">What became of each URL</h2>
<p><em>Excluded</em> is the site’s wish, <em>dropped</em> is ours, <em>failed</em> could not be had, <em>held</em> was still waiting. Every URL has its line in the decision log: <code>mannerly explain DIR URL</code>.</p>
${tableHtml({
  id: 'reasons-table',
  caption: `${plural(reasons.length, 'reason')}, by URLs.`,
  columns: [
    { label: 'Reason', kind: 'text' },
    { label: 'Word', kind: 'text' },
    { label: 'URLs', kind: 'number' },
    { label: 'Share', kind: 'bar' },
    { label: 'Meaning and examples', kind: 'text' },
  ],
  rows: reasonRows,
})}
<h3>The lines of robots.txt that closed them</h3>
${
  ruleRows.length === 0
    ? '<p>No line of a robots.txt closed a URL that was found.</p>'
    : tableHtml({
        id: 'rules-table',
        caption: 'The copy is the name of the file in <code>robots/</code>, and when it was received.',
        columns: [
          { label: 'File', kind: 'text' },
          { label: 'Line', kind: 'number' },
          { label: 'Pattern', kind: 'text' },
          { label: 'URLs', kind: 'number' },
          { label: 'Copy', kind: 'number' },
          { label: 'Example', kind: 'text' },
        ],
        rows: ruleRows,
      })
}
</section>`;
}
