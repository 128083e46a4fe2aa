// Renders report.html from the JSON in `#report-data`. It loads nothing and sends nothing.
import {
  bar,
  byId,
  cell,
  count,
  counted,
  drawing,
  element,
  fill,
  plural,
  printable,
  put,
  size,
  small,
  tag,
} from './elements.js';

const { report, meanings } = JSON.parse(byId('report-data').textContent);
const { crawl, totals, audit, hosts, pauses, reasons, rules, statuses, sizes, depths, progress, timeline } = report;
const root = document.documentElement;
root.classList.add('js');

// ---- Text

const seconds = (ms) => {
  if (ms >= 100_000) return `${count(Math.round(ms / 1_000))} s`;
  return `${(ms / 1_000).toFixed(ms >= 10_000 ? 1 : ms >= 100 || ms === 0 ? 2 : 3)} s`;
};
const duration = (ms) => {
  if (ms === null || ms === undefined) return '–';
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms >= 5_400_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return ms >= 120_000 ? `${(ms / 60_000).toFixed(1)} min` : seconds(ms);
};
const exactTime = (ms) => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');
const time = (ms) => exactTime(ms).slice(0, 19);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const code = (text) => element('code', {}, text);
const withNote = (text, note) => [text, ...(note === null ? [] : [small(note)])];
const timeCell = (ms) => cell(time(ms), ms);
const countCell = (value) => cell(count(value), value);

// ---- Tables

const keyOf = (row, column) => {
  const { dataset, textContent } = row.cells[column];
  if (dataset.sort === undefined) return textContent.trim().toLowerCase();
  return dataset.sort === '' ? Number.NEGATIVE_INFINITY : Number(dataset.sort);
};
const sortBy = (table, column) => {
  const heads = [...table.tHead.rows[0].cells];
  const first = heads[column].classList.contains('number') ? 'descending' : 'ascending';
  const before = heads[column].getAttribute('aria-sort');
  const next = before === null ? first : before === 'ascending' ? 'descending' : 'ascending';
  for (const head of heads) head.removeAttribute('aria-sort');
  heads[column].setAttribute('aria-sort', next);
  const sign = next === 'ascending' ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
  rows.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
  table.tBodies[0].append(...rows.map(([, row]) => row));
};
/** Shows a table whose columns sort, or a sentence in its place where it would have no rows. */
const show = (id, caption, columns, rows, sentence = '') => {
  const table = byId(id);
  if (rows.length === 0 && sentence !== '') {
    table.closest('.scroll').replaceWith(element('p', {}, sentence));
    return;
  }
  fill(id, caption, columns, rows);
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    if (head.className === 'bar') continue;
    const button = element('button', { type: 'button', className: 'sort' }, head.textContent);
    button.addEventListener('click', () => sortBy(table, column));
    head.replaceChildren(button);
  }
};
const leftOut = (number, what) => (number === 0 ? '' : ` ${count(number)} ${what} are left out.`);

// ---- The header

const margin = ({ gapMs, requiredGapMs }) => gapMs - requiredGapMs;
const tightest = hosts.reduce((least, { tightest: each }) => {
  if (least === null || each === null) return least ?? each;
  return margin(each) < margin(least) ? each : least;
}, null);
const days = [crawl.startedAtMs ?? crawl.createdAtMs, crawl.endedAtMs ?? 0].map(time);
const isOneDay = days[0].slice(0, 10) === days[1].slice(0, 10);
const when =
  crawl.startedAtMs === null ? `begun ${days[0]}` : `${days[0]} to ${isOneDay ? days[1].slice(11) : days[1]} UTC`;
const named = crawl.seeds.slice(0, 3).map((seed) => printable(seed));
const moreSeeds = crawl.seedCount > named.length ? ` and ${count(crawl.seedCount - named.length)} more` : '';
document.title = `Crawl report: ${printable(crawl.name)}`;
put('title', document.title);
const agent = printable(crawl.runs.at(-1)?.userAgent ?? crawl.name);
const from = named.length === 0 ? 'single URLs, without a seed' : `from ${named.join(', ')}${moreSeeds}`;
put('about', when, element('br'), from, element('br'), 'as ', code(agent));
put('made', `${time(report.generatedAtMs)} by mannerly ${report.generator.mannerly}`);

const violations = sum(Object.values(audit.counts));
const judged = `${plural(audit.requests, 'request')} judged`;
const verdict = () => {
  if (audit.passed) return ['Polite', `${judged} against what every host required: no violation.`];
  if (totals.requests === 0) return ['Nothing to judge', 'The request log is empty.'];
  return [plural(violations, 'violation'), `${judged}. `, element('a', { href: '#audit' }, 'What was found')];
};
const [title, ...said] = verdict();
byId('verdict').classList.add(audit.passed ? 'good' : 'bad');
put('verdict', element('h2', {}, `${audit.passed ? '✓' : '!'} ${title}`), element('p', {}, ...said));

const notKept = pauses.filter(({ isObeyed }) => !isObeyed).length;
const tookMs = (crawl.endedAtMs ?? 0) - (crawl.startedAtMs ?? 0);
const spare = tightest === null ? null : margin(tightest);
const signed = totals.signed === undefined ? '' : `, ${count(totals.signed)} signed`;
const cut = totals.truncated === undefined ? '' : `${plural(totals.truncated, 'page')} cut at a limit`;
const { fetched, excluded, dropped, failed, held } = totals.outcomes;
const unfetched = [`of ${plural(totals.found, 'URL')}`, `${count(failed)} failed`];
if (held > 0) unfetched.push(`${count(held)} still queued`);
const figures = [
  ['Fetched', count(fetched), unfetched.join(', ')],
  [
    'Requests',
    count(totals.requests),
    `${count(totals.pageRequests)} for pages, ${count(totals.robotsRequests)} for robots.txt${signed}`,
  ],
  ['Hosts', count(totals.hosts), plural(crawl.seedCount, 'seed')],
  ['Received', size(totals.bytes), [tookMs > 0 ? `in ${duration(tookMs)}` : '', cut].filter(Boolean).join(', ')],
  ['Left alone', count(excluded), 'URLs that sites exclude'],
  ['Pauses', count(pauses.length + report.pausesLeftOut), notKept === 0 ? 'all kept' : `${count(notKept)} not kept`],
  [
    'Nearest to a limit',
    spare === null ? '–' : `${spare < 0 ? '−' : '+'}${seconds(Math.abs(spare))}`,
    tightest === null ? '' : `${seconds(tightest.gapMs)}, required ${seconds(tightest.requiredGapMs)}`,
  ],
];
put(
  'figures',
  ...figures.map(([name, value, note]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, value, small(note))),
  ),
);

// ---- Sections of tables

const REQUIRED_BY = {
  interval: 'our interval',
  'crawl-delay': 'Crawl-delay',
  'request-rate': 'Request-rate',
  pause: 'a pause',
  'robots-retry': 'wait for robots.txt',
};
const found = (times) => cell(tag(times === 0 ? 'none' : count(times), times === 0 ? 'good' : 'bad'), times);
const gapCell = ({ tightest: each, smallestGapMs }) => {
  if (each === null) return cell('–', null);
  // Another gap may be smaller, where less was required.
  const note = smallestGapMs !== null && smallestGapMs < each.gapMs ? `smallest ${seconds(smallestGapMs)}` : null;
  return cell(withNote(seconds(each.gapMs), note), each.gapMs);
};
const requiredCell = ({ tightest: each }) => {
  if (each === null) return cell('–', null);
  const by = REQUIRED_BY[each.requiredBy] ?? printable(each.requiredBy);
  return cell(withNote(seconds(each.requiredGapMs), by), each.requiredGapMs);
};
/** The tightest gap, with a tick at what was required. */
const gapBar = ({ tightest: each }) => {
  if (each === null) return '';
  const { gapMs, requiredGapMs } = each;
  const most = Math.max(gapMs, requiredGapMs, 1);
  const isShort = gapMs < requiredGapMs;
  const label = isShort ? 'shorter than required' : 'not shorter than required';
  const svg = bar(gapMs, most, isShort ? 'bad' : 'good', { role: 'img', 'aria-label': label });
  const x = Math.min(99, Math.max(1, (100 * requiredGapMs) / most));
  svg.append(
    drawing('line', { class: 'required', x1: x, x2: x, y1: 0, y2: 10, 'vector-effect': 'non-scaling-stroke' }),
  );
  return svg;
};
const requiresCell = ({ crawlDelayMs, requestIntervalMs }) => {
  const delay = crawlDelayMs === null ? [] : [`delay ${seconds(crawlDelayMs)}`];
  const rate = requestIntervalMs === null ? [] : [`1 in ${seconds(requestIntervalMs)}`];
  const texts = [...delay, ...rate];
  if (texts.length === 0) return cell('–', null);
  return cell(texts.join(', '), Math.max(crawlDelayMs ?? 0, requestIntervalMs ?? 0));
};
const failedCell = ({ failed, held }) => {
  if (failed + held === 0) return cell('–', 0);
  return cell(withNote(count(failed), held === 0 ? null : `${count(held)} held`), failed + held);
};
const answersCell = ({ statuses: counts }) => {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const texts = entries.map(([status, times]) => (times === 1 ? status : `${status} ×${count(times)}`));
  // Sorted by requests without a good answer.
  const errors = entries.filter(([status]) => !/^[23]/.test(status)).map(([, times]) => times);
  return cell(printable(texts.join(', '), 120), sum(errors));
};
show(
  'hosts-table',
  `${plural(hosts.length, 'host')}, by requests.${leftOut(report.hostsLeftOut, 'hosts with fewer requests')}`,
  [
    ['Host', 'text', ({ host }) => printable(host)],
    ['Requests', 'number', ({ requests }) => counted(requests)],
    ['Tightest gap', 'number', gapCell],
    ['Required', 'number', requiredCell],
    ['Gap, tick: required', 'bar', gapBar],
    ['Violations', 'number', (host) => found(host.violations)],
    ['Host requires', 'number', requiresCell],
    ['Pauses', 'number', (host) => counted(host.pauses)],
    ['Left alone', 'number', ({ excluded }) => counted(excluded)],
    ['Failed, held', 'number', failedCell],
    ['Answers', 'text', answersCell],
    ['Received', 'number', ({ bytes }) => cell(size(bytes), bytes)],
  ],
  hosts,
);

const nextCell = ({ fromMs, nextAtMs }) =>
  nextAtMs === null ? cell('none came', null) : cell(`after ${duration(nextAtMs - fromMs)}`, nextAtMs - fromMs);
const keptCell = ({ isObeyed }) => cell(tag(isObeyed ? 'kept' : 'not kept', isObeyed ? 'good' : 'bad'), +isObeyed);
show(
  'pauses-table',
  `${plural(pauses.length, 'pause')}, in the order in which they began.${leftOut(report.pausesLeftOut, 'later ones')}`,
  [
    ['Host', 'text', ({ host }) => printable(host)],
    ['Began', 'number', ({ fromMs }) => timeCell(fromMs)],
    ['Required', 'number', ({ fromMs, untilMs }) => cell(duration(untilMs - fromMs), untilMs - fromMs)],
    ['Because of', 'text', ({ why }) => printable(why, 160)],
    ['Next request', 'number', nextCell],
    ['Kept', 'number', keptCell],
  ],
  pauses,
  'No host required a pause.',
);

const meaningCell = ({ means, examples }) => [
  printable(means),
  ...examples.map((url) => element('div', { className: 'soft' }, printable(url, 120))),
];
show(
  'reasons-table',
  `${plural(reasons.length, 'reason')}, by URLs.`,
  [
    ['Reason', 'text', ({ reason }) => printable(reason)],
    ['Status', 'text', ({ status }) => status],
    ['URLs', 'number', ({ urls }) => countCell(urls)],
    ['Share', 'bar', ({ urls }) => bar(urls, reasons[0].urls)],
    ['Meaning and examples', 'text', meaningCell],
  ],
  reasons,
);

// The whole hash is in report.json; as many digits tell copies apart.
const copyCell = ({ hash, receivedAtMs }) => {
  const digits = hash === null ? [] : [code(printable(hash.slice(0, 16))), ' '];
  return cell([...digits, receivedAtMs === null ? '' : time(receivedAtMs)], receivedAtMs);
};
show(
  'rules-table',
  'The copy is the beginning of the file’s name in robots/, and when it was received.',
  [
    ['File', 'text', ({ authority }) => `${printable(authority)}/robots.txt`],
    ['Line', 'number', ({ line: number }) => cell(String(number), number)],
    ['Pattern', 'text', ({ pattern }) => code(printable(pattern, 160))],
    ['URLs', 'number', ({ urls }) => countCell(urls)],
    ['Copy', 'number', copyCell],
    ['Example', 'text', ({ example }) => printable(example, 160)],
  ],
  rules,
  'No line of a robots.txt excluded a URL that was found.',
);

show(
  'statuses-table',
  'Requests by status, or by failure.',
  [
    ['Status', 'text', ({ status }) => printable(status)],
    ['Requests', 'number', ({ requests }) => countCell(requests)],
    ['Share', 'bar', ({ requests }) => bar(requests, statuses[0].requests)],
  ],
  statuses,
  'No request was sent.',
);

if (report.stages === undefined) byId('stages').remove();
else
  show(
    'stages-table',
    'Functions between handlers and sinks, in all runs that ended by themselves.',
    [
      ['Stage', 'text', ({ name }) => printable(name)],
      ['Items in', 'number', (stage) => countCell(stage.in)],
      ['Items out', 'number', (stage) => countCell(stage.out)],
      ['Dropped', 'number', ({ dropped }) => countCell(dropped)],
      ['Failed', 'number', ({ failed }) => countCell(failed)],
    ],
    report.stages,
  );

const paceText = ({ name, factor, minMs, maxMs }) =>
  `${name}: at least ${seconds(minMs)}, ${factor} × the last request's duration${maxMs === null ? '' : `, at most ${seconds(maxMs)}`}`;
put('methods-text', printable(report.methods, 20_000));
show(
  'runs-table',
  plural(crawl.runs.length, 'run'),
  [
    ['Began', 'number', ({ startedAtMs }) => timeCell(startedAtMs)],
    ['Versions', 'text', ({ versions }) => printable(`mannerly ${versions.mannerly}, Node ${versions.node}`)],
    ['Pace', 'text', ({ pace }) => printable(paceText(pace))],
    ['Concurrency', 'number', ({ concurrency }) => cell(String(concurrency), concurrency)],
    ['robots.txt options', 'text', ({ robots }) => code(printable(JSON.stringify(robots), 300))],
    ['User-Agent', 'text', ({ userAgent }) => printable(userAgent)],
  ],
  crawl.runs,
);

put('audit-notes', ...audit.notes.map((note) => element('p', {}, printable(note))));
show(
  'audit-table',
  `${plural(audit.requests, 'request')} to ${plural(audit.hosts, 'host')} in ${plural(audit.runs, 'run')}.`,
  [
    ['Violation', 'text', ([kind]) => kind],
    ['Found', 'number', ([, times]) => found(times)],
    ['Meaning: requested …', 'text', ([kind]) => meanings[kind] ?? ''],
  ],
  Object.entries(audit.counts),
);

const MAX_LISTED = 100;
const listed = audit.violations.slice(0, MAX_LISTED);
if (listed.length === 0) byId('violations').remove();
else
  show(
    'violations-table',
    listed.length === violations
      ? plural(violations, 'violation')
      : `The first ${count(listed.length)} of ${count(violations)}.`,
    [
      ['Violation', 'text', ({ kind }) => kind],
      ['When', 'number', ({ atMs }) => (atMs === null ? '–' : timeCell(atMs))],
      ['URL', 'text', ({ url }) => printable(url ?? '–')],
      ['What', 'text', ({ detail }) => printable(detail)],
    ],
    listed,
  );

const search = byId('host-search');
search.addEventListener('input', () => {
  const wanted = search.value.trim().toLowerCase();
  for (const row of byId('hosts-table').tBodies[0].rows)
    row.hidden = wanted !== '' && !row.cells[0].textContent.toLowerCase().includes(wanted);
});

const copy = byId('copy-methods');
copy.addEventListener('click', async () => {
  const paragraph = byId('methods-text');
  try {
    await navigator.clipboard.writeText(paragraph.textContent);
    copy.textContent = 'Copied';
  } catch {
    // A browser may refuse files the clipboard: select the text so that the reader can copy it.
    getSelection().selectAllChildren(paragraph);
    copy.textContent = 'Selected: press Ctrl+C';
  }
});

// ---- What the plots show, in words

const shown =
  timeline.pointsLeftOut === 0
    ? 'every request'
    : `${count(timeline.points.length)} of ${plural(totals.requests, 'request')}, the tightest of every host included`;
put('lanes-shown', `the ${plural(timeline.hosts.length, 'host')} with most requests: ${shown}`);
put('gap-host', ...timeline.hosts.map((host) => element('option', { value: host }, printable(host))));
const mostQueued = progress.queued.reduce((top, value) => Math.max(top, value ?? 0), 0);
put('most-queued', count(mostQueued));
const plotBox = (name) => document.querySelector(`[data-plot="${name}"]`);
const label = (name, text) => plotBox(name).setAttribute('aria-label', text);
const depthName = ({ depth, orDeeper }) => (orDeeper ? `${depth}+` : String(depth));
const fetchedAt = (each) => `depth ${depthName(each)}: ${each.fetched} fetched`;
label(
  'lanes',
  `Requests to ${plural(timeline.hosts.length, 'host')} over time; the tables of hosts and pauses have the figures`,
);
label('depths', depths.slice(0, 20).map(fetchedAt).join(', ') || 'No URL has a depth');
label(
  'growth',
  `Over time ${plural(fetched, 'URL')} fetched, ${count(excluded)} excluded, ${count(dropped)} dropped, ` +
    `${count(failed)} failed; at most ${count(mostQueued)} queued`,
);

// ---- Plots

const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
const FONT = '12px system-ui, sans-serif';
const HIDDEN = { show: false };
/** A series that only sets the scale: what it shows is drawn by hand. */
const DRAWN = { paths: () => null, points: HIDDEN };
const kindOf = (status) =>
  status === 0 ? 'none' : status < 300 ? 'good' : status < 400 ? 'moved' : status < 500 ? 'warn' : 'bad';
const axis = (more) => ({
  stroke: colour('soft'),
  grid: { stroke: colour('line'), width: 1 },
  ticks: { stroke: colour('line'), width: 1 },
  font: FONT,
  ...more,
});
const TIMES = [
  // incr, default, year, month, day, hour, min, sec, mode
  [3600 * 24, '{YYYY}-{MM}-{DD}', null, null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [0.001, ':{ss}.{fff}', '\n{YYYY}-{MM}-{DD} {HH}:{mm}', null, '\n{MM}-{DD} {HH}:{mm}', null, '\n{HH}:{mm}', null, 1],
];
/** uPlot would give a single point an axis of years. */
const timeScale = {
  time: true,
  range: ({ data: [times] }, from, to) => (times.length === 1 ? [from - 1, from + 1] : [from, to]),
};
const timeAxis = () => axis({ values: TIMES, space: 70 });
const countAxis = () =>
  axis({ values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? count(value) : '')), size: 62 });
const fromZero = { range: (_plot, _least, most) => [0, Math.max(1, most) * 1.05] };

/** A plot in its box, with a text next to the pointer; none where `textAt` gives `null`. */
const plotIn = (box, options, data, textAt) => {
  const plot = new uPlot(
    {
      width: Math.max(240, box.clientWidth),
      tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), 'UTC'),
      ms: 0.001,
      legend: HIDDEN,
      cursor: { y: false, points: HIDDEN, drag: { x: true, y: false } },
      ...options,
    },
    data,
    box,
  );
  const tip = element('div', { className: 'tip', hidden: true });
  box.append(tip);
  const { over } = plot;
  over.addEventListener('pointermove', (event) => {
    const at = over.getBoundingClientRect();
    const x = event.clientX - at.left;
    const y = event.clientY - at.top;
    const text = textAt(plot, x, y);
    tip.hidden = text === null;
    if (text === null) return;
    tip.textContent = text;
    const left = over.offsetLeft + x + 14;
    tip.style.left = `${Math.max(0, Math.min(left, box.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(0, over.offsetTop + y + 16)}px`;
  });
  over.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  return plot;
};
/** Draws on the canvas within the plot's area, widened by `dx` and `dy` pixels. */
const within = (dx, dy, draw) => (u) => {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - dx, bbox.top, bbox.width + 2 * dx, bbox.height + dy);
  ctx.clip();
  draw(
    ctx,
    (ms) => u.valToPos(ms / 1000, 'x', true),
    (value) => u.valToPos(value, 'y', true),
  );
  ctx.restore();
};
const line = (ctx, x1, y1, x2, y2) => {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
};
const circle = (ctx, x, y, radius) => {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
};
/** What else than colour tells answers apart: ◆ 3xx, ▲ 4xx, ■ 5xx, ▼ no response. Corners in units of the radius. */
const CORNERS = {
  moved: [0, -1.4, 1.4, 0, 0, 1.4, -1.4, 0],
  warn: [0, -1.4, 1.4, 1.1, -1.4, 1.1],
  bad: [-1.1, -1.1, 1.1, -1.1, 1.1, 1.1, -1.1, 1.1],
  none: [0, 1.4, 1.4, -1.1, -1.4, -1.1],
};
const mark = (ctx, kind, x, y, radius) => {
  circle(ctx, x, y, radius);
  const corners = CORNERS[kind];
  if (corners === undefined) return;
  ctx.beginPath();
  for (let at = 0; at < corners.length; at += 2) ctx.lineTo(x + corners[at] * radius, y + corners[at + 1] * radius);
};
const pointText = ([atMs, host, status, gapMs, requiredMs, bad]) =>
  [
    printable(timeline.hosts[host]),
    `${exactTime(atMs)} UTC`,
    status === 0 ? 'no response' : `status ${status}`,
    gapMs === null ? 'first request' : `gap ${duration(gapMs)}, required ${duration(requiredMs)}`,
    ...(bad === 1 ? ['violation'] : []),
  ].join('\n');

/** Requests as dots in a lane for each host, pauses as bars behind them. */
const lanes = (box) => {
  const { hosts: names, points } = timeline;
  if (points.length === 0) return null;
  const isNarrow = box.clientWidth < 520;
  const most = isNarrow ? 84 : 220;
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = FONT;
  const widthOf = (name) => pen.measureText(name).width;
  const short = (name) => {
    let kept = printable(name);
    if (widthOf(kept) <= most) return kept;
    while (kept.length > 1 && widthOf(`${kept}…`) > most) kept = kept.slice(0, -1);
    return `${kept}…`;
  };
  const longest = Math.max(...names.map((name) => widthOf(short(name))));
  const lane = isNarrow ? 20 : 24;
  const drawPauses = (ctx, xOf, yOf) => {
    ctx.fillStyle = colour('pause');
    for (const { host, fromMs, untilMs, nextAtMs } of pauses) {
      const index = names.indexOf(host);
      if (index < 0) continue;
      const left = xOf(fromMs);
      const right = xOf(Math.min(untilMs, Math.max(nextAtMs ?? 0, crawl.endedAtMs ?? 0)));
      const height = lane * 0.72 * devicePixelRatio;
      ctx.fillRect(left, yOf(-index) - height / 2, Math.max(1, right - left), height);
    }
  };
  const drawRequests = (ctx, xOf, yOf) => {
    const radius = 3 * devicePixelRatio;
    const fills = Object.fromEntries(['good', 'moved', 'warn', 'bad', 'none'].map((kind) => [kind, colour(kind)]));
    ctx.strokeStyle = colour('bad');
    ctx.lineWidth = 2 * devicePixelRatio;
    for (const [atMs, host, status, , , bad] of points) {
      const kind = kindOf(status);
      ctx.fillStyle = fills[kind];
      ctx.globalAlpha = 0.85;
      mark(ctx, kind, xOf(atMs), yOf(-host), radius);
      ctx.fill();
      if (bad !== 1) continue;
      ctx.globalAlpha = 1;
      circle(ctx, xOf(atMs), yOf(-host), radius * 2);
      ctx.stroke();
    }
  };
  const nearestText = (plot, x, y) => {
    let nearest = null;
    let least = 144;
    for (const point of points) {
      const dx = plot.valToPos(point[0] / 1000, 'x') - x;
      const dy = plot.valToPos(-point[1], 'y') - y;
      const distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        nearest = point;
      }
    }
    return nearest === null ? null : pointText(nearest);
  };
  const options = {
    height: names.length * lane + 60,
    // The first host on top: lanes count downwards.
    scales: { x: timeScale, y: { range: () => [0.5 - names.length, 0.5] } },
    axes: [
      timeAxis(),
      axis({
        splits: () => names.map((_, index) => -index),
        values: () => names.map(short),
        size: Math.ceil(longest) + 18,
        gap: 4,
      }),
    ],
    series: [{}, DRAWN],
    hooks: { drawAxes: [within(0, 0, drawPauses)], draw: [within(3 * devicePixelRatio, 0, drawRequests)] },
  };
  return plotIn(box, options, [points.map(([atMs]) => atMs / 1000), points.map(([, host]) => -host)], nearestText);
};

/** The gaps of one host, each with what was required. */
const gaps = (box) => {
  const chosen = timeline.hosts.indexOf(byId('gap-host').value);
  const points = timeline.points.filter(([, host, , gapMs]) => host === chosen && gapMs !== null);
  if (points.length === 0) {
    if (chosen >= 0) box.textContent = 'One request went to this host: there is no gap.';
    return null;
  }
  // The scale is logarithmic: a gap of zero is drawn as a millisecond.
  const least = (ms) => Math.max(ms ?? 0, 1) / 1000;
  // A requirement applies to its own request alone: a mark for each, and a line to it.
  const drawRequired = (ctx, xOf, yOf) => {
    ctx.lineWidth = 2 * devicePixelRatio;
    const half = 4 * devicePixelRatio;
    for (const [atMs, , , gapMs, requiredMs] of points) {
      const x = xOf(atMs);
      const required = yOf(least(requiredMs));
      ctx.strokeStyle = colour(gapMs < requiredMs ? 'bad' : 'line');
      line(ctx, x, required, x, yOf(least(gapMs)));
      ctx.strokeStyle = colour('bad');
      line(ctx, x - half, required, x + half, required);
    }
  };
  const shortDuration = (s) => (s === null ? '' : duration(s * 1000).replace(/\.00? /, ' '));
  const good = colour('good');
  const options = {
    height: 260,
    // Dots that are on an axis are cut, or taken for its ticks.
    scales: {
      x: {
        time: true,
        range: (plot, ...ends) => {
          const [from, to] = timeScale.range(plot, ...ends);
          return [from - (to - from) / 50 - 1, to + (to - from) / 50 + 1];
        },
      },
      y: { distr: 3, log: 10, range: (_plot, from, to) => [from / 2, to * 2] },
    },
    axes: [timeAxis(), axis({ values: (_plot, splits) => splits.map(shortDuration), size: 62 })],
    series: [{}, DRAWN, { ...DRAWN, points: { show: true, size: 6, fill: good, stroke: good } }],
    hooks: { draw: [within(0, 4, drawRequired)] },
  };
  const data = [
    points.map(([atMs]) => atMs / 1000),
    points.map(([, , , , requiredMs]) => least(requiredMs)),
    points.map(([, , , gapMs]) => least(gapMs)),
  ];
  return plotIn(box, options, data, (plot, x) => {
    const point = points[plot.posToIdx(x)];
    return point === undefined ? null : pointText(point);
  });
};

/** The queue and the URLs with a status over time. */
const growth = (box) => {
  if (progress.atMs.length === 0) return null;
  const lines = [
    ['queued', 'queue', []],
    ['fetched', 'good', []],
    ['excluded', 'warn', [2, 3]],
    ['dropped', 'none', [7, 4]],
    ['failed', 'bad', [2, 2]],
  ];
  const series = lines.map(([, tone, dash]) => ({
    stroke: colour(tone),
    width: 2,
    dash,
    spanGaps: true,
    points: HIDDEN,
  }));
  const options = {
    height: 280,
    scales: { x: timeScale, y: fromZero },
    axes: [timeAxis(), countAxis()],
    series: [{}, ...series],
  };
  const data = [progress.atMs.map((ms) => ms / 1000), ...lines.map(([name]) => progress[name])];
  return plotIn(box, options, data, (plot, x) => {
    const index = plot.posToIdx(x);
    if (progress.atMs[index] === undefined) return null;
    return [
      `${exactTime(progress.atMs[index])} UTC`,
      `requests ${count(progress.requests[index])}`,
      ...lines.map(([name]) => `${name} ${count(progress[name][index])}`),
    ].join('\n');
  });
};

/** Stacked bars over named places. */
const bars = (box, labels, parts, textOf) => {
  if (labels.length === 0) return null;
  const indexes = labels.map((_, index) => index);
  const sums = [];
  for (const [, values] of parts) sums.push(values.map((value, index) => value + (sums.at(-1)?.[index] ?? 0)));
  const every = Math.ceil((labels.length * 46) / Math.max(120, box.clientWidth - 70));
  // The tallest first, so that the others stand before it.
  const series = parts.toReversed().map(([tone]) => ({
    stroke: colour(tone),
    fill: colour(tone),
    width: 0,
    paths: uPlot.paths.bars({ size: [0.7, 60] }),
    points: HIDDEN,
  }));
  const options = {
    height: 220,
    scales: { x: { time: false, range: () => [-0.6, labels.length - 0.4] }, y: fromZero },
    axes: [
      axis({
        splits: () => indexes,
        values: () => labels.map((text, index) => (index % every === 0 ? text : '')),
        grid: HIDDEN,
      }),
      countAxis(),
    ],
    series: [{}, ...series],
    cursor: { x: false, y: false, drag: { x: false, y: false }, points: HIDDEN },
  };
  return plotIn(box, options, [indexes, ...sums.reverse()], (plot, x) => {
    const index = Math.round(plot.posToVal(x, 'x'));
    return labels[index] === undefined ? null : textOf(index);
  });
};
const TONES = { fetched: 'good', excluded: 'warn', failed: 'bad', dropped: 'none', held: 'queue' };
const depthBars = (box) =>
  bars(
    box,
    depths.map(depthName),
    Object.entries(TONES).map(([status, tone]) => [tone, depths.map((each) => each[status])]),
    (index) =>
      [
        `depth ${depthName(depths[index])}`,
        ...Object.keys(TONES).map((status) => `${status} ${count(depths[index][status])}`),
      ].join('\n'),
  );
const sizeBars = (box) =>
  bars(
    box,
    sizes.map(({ belowBytes }) => (belowBytes === 1 ? '0' : `<${size(belowBytes)}`)),
    [['moved', sizes.map(({ responses }) => responses)]],
    (index) => {
      const { belowBytes, responses } = sizes[index];
      return `${belowBytes === 1 ? 'no body' : `less than ${size(belowBytes)}`}\n${plural(responses, 'response')}`;
    },
  );

const PLOTS = { lanes, gaps, growth, depths: depthBars, sizes: sizeBars };
const drawn = new Map();
const draw = (name) => {
  drawn.get(name)?.destroy();
  plotBox(name).replaceChildren();
  drawn.set(name, PLOTS[name](plotBox(name)));
  if (plotBox(name).childNodes.length === 0) plotBox(name).textContent = 'Nothing to show.';
};
const drawAll = () => Object.keys(PLOTS).forEach(draw);
drawAll();

const chooser = byId('gap-host');
chooser.addEventListener('change', () => draw('gaps'));
byId('hosts-table').tBodies[0].addEventListener('click', ({ target }) => {
  const host = target.closest('tr').cells[0].textContent;
  const chosen = timeline.hosts.find((each) => printable(each) === host);
  if (chosen === undefined || String(getSelection()) !== '') return;
  chooser.value = chosen;
  draw('gaps');
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
let width = root.clientWidth;
addEventListener('resize', () => {
  if (root.clientWidth === width) return;
  width = root.clientWidth;
  drawAll();
});
root.dataset.drawn = 'yes';
