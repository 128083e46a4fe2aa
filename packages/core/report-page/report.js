// Renders report.html from the JSON in `#report-data`. It loads nothing and sends nothing.
// Every value of a crawl is untrusted text: it becomes a text node or an attribute, never markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const { report, meanings } = JSON.parse(byId('report-data').textContent);
  const { crawl, totals, audit, hosts, pauses, reasons, rules, statuses, sizes, depths, progress, timeline } = report;
  const root = document.documentElement;
  root.classList.add('js');

  // ---- Text

  /** Text of a site without control and direction characters, at most `limit` characters. */
  const printable = (text, limit = 400) => {
    const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
    return clean.length <= limit ? clean : `${clean.slice(0, limit - 1)}…`;
  };
  const count = (value) => (value === null || value === undefined ? '–' : value.toLocaleString('en'));
  const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;
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
  const size = (bytes) => {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let unit = 0;
    let value = bytes;
    while (value >= 1_000 && unit < units.length - 1) {
      value /= 1_000;
      unit += 1;
    }
    return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
  };
  const exactTime = (ms) => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');
  const time = (ms) => exactTime(ms).slice(0, 19);
  const sum = (values) => values.reduce((total, value) => total + value, 0);

  // ---- Elements

  /** An element with properties and children; a string becomes a text node. */
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const put = (id, ...children) => byId(id).replaceChildren(...children);
  const code = (text) => element('code', {}, text);
  const small = (text) => element('small', {}, text);
  const withNote = (text, note) => [text, ...(note === null ? [] : [small(note)])];
  const tag = (text, isGood) => element('span', { className: `tag ${isGood ? 'good' : 'bad'}` }, text);
  const found = (violations) => tag(violations === 0 ? 'none' : count(violations), violations === 0);
  const drawing = (name, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  /** A value as a share of `most`, with a tick at `required` where one is given. */
  const bar = (value, most, required = null) => {
    const percent = (part) => ((100 * Math.max(0, part)) / Math.max(1, most)).toFixed(1);
    const isShort = required !== null && value < required;
    const label = isShort ? 'shorter than required' : 'not shorter than required';
    const names = required === null ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label };
    const svg = drawing('svg', { class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', ...names });
    svg.append(
      drawing('rect', { class: 'track', width: 100, height: 10 }),
      drawing('rect', { class: isShort ? 'short' : 'measured', width: percent(value), height: 10 }),
    );
    if (required === null) return svg;
    const x = Math.min(99, Math.max(1, percent(required)));
    svg.append(
      drawing('line', { class: 'required', x1: x, x2: x, y1: 0, y2: 10, 'vector-effect': 'non-scaling-stroke' }),
    );
    return svg;
  };

  // ---- Tables

  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const key = cell.dataset.sort;
    if (key === undefined) return cell.textContent.trim().toLowerCase();
    return key === '' ? Number.NEGATIVE_INFINITY : Number(key);
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
  /** A cell whose sort key is not its text; `null` sorts last. */
  const cell = (content, sort) => ({ content, sort });
  const counted = (value) => cell(value === 0 ? '–' : count(value), value);
  for (const table of document.querySelectorAll('table.cards')) {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (head.className === 'bar') continue;
      const button = element('button', { type: 'button', className: 'sort' }, head.textContent);
      button.addEventListener('click', () => sortBy(table, column));
      head.replaceChildren(button);
    }
  }
  /**
   * Fills a table. A cell is a text, an element, a list of both, or `cell(content, sort)`; the first is the row's
   * heading.
   */
  const fill = (id, caption, rows) => {
    const table = byId(id);
    const heads = [...table.tHead.rows[0].cells].map(({ className, textContent }) => [className, textContent]);
    const made = rows.map((cells) => {
      const row = element('tr');
      for (const [column, given] of cells.entries()) {
        const { content, sort } = given?.content === undefined ? { content: given } : given;
        const [className, label] = heads[column];
        const one = column === 0 ? element('th', { scope: 'row' }) : element('td', { className });
        one.append(...[content].flat());
        one.classList.toggle('empty', content === '–' || content === '');
        one.dataset.label = label;
        if (sort !== undefined) one.dataset.sort = sort ?? '';
        row.append(one);
      }
      return row;
    });
    table.createCaption().append(caption);
    table.tBodies[0].replaceChildren(...made);
  };
  const leftOut = (number, what) => (number === 0 ? '' : ` ${count(number)} ${what} are left out.`);
  /** Puts a sentence in place of a table that would have no rows. */
  const orSentence = (id, sentence, rows, show) => {
    if (rows.length > 0) show();
    else
      byId(id)
        .closest('.scroll')
        .replaceWith(element('p', {}, sentence));
  };

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
  put('about', when, element('br'), `from ${named.join(', ')}${moreSeeds}`, element('br'), 'as ', code(agent));
  put('made', `${time(report.generatedAtMs)} by mannerly ${report.generator.mannerly}`);

  const violations = sum(Object.values(audit.counts));
  const judged = `${plural(audit.requests, 'request')} judged`;
  byId('verdict').classList.toggle('bad', !audit.passed);
  if (audit.passed) {
    put('verdict-title', 'Polite');
    put('verdict-text', `${judged} against what every host required: no violation.`);
  } else if (totals.requests === 0) {
    put('verdict-title', 'Nothing to judge');
    put('verdict-text', 'The request log is empty.');
  } else {
    put('verdict-title', plural(violations, 'violation'));
    put('verdict-text', `${judged}. `, element('a', { href: '#audit' }, 'What was found'));
  }

  const notKept = pauses.filter(({ isObeyed }) => !isObeyed).length;
  const tookMs = (crawl.endedAtMs ?? 0) - (crawl.startedAtMs ?? 0);
  const spare = tightest === null ? null : margin(tightest);
  const figures = [
    [
      'Requests',
      count(totals.requests),
      `${count(totals.pageRequests)} for pages, ${count(totals.robotsRequests)} for robots.txt` +
        (totals.signed === undefined ? '' : `, ${count(totals.signed)} signed`),
    ],
    ['Hosts', count(totals.hosts), plural(crawl.seedCount, 'seed')],
    ['Received', size(totals.bytes), tookMs > 0 ? `in ${duration(tookMs)}` : ''],
    ['Left alone', count(totals.outcomes.excluded), 'URLs that sites exclude'],
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
  const gapBar = ({ tightest: each }) =>
    each === null ? '' : bar(each.gapMs, Math.max(each.gapMs, each.requiredGapMs), each.requiredGapMs);
  const requestsCell = ({ crawlDelayMs, requestIntervalMs }) => {
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
  fill(
    'hosts-table',
    `${plural(hosts.length, 'host')}, by requests.${leftOut(report.hostsLeftOut, 'hosts with fewer requests')}`,
    hosts.map((host) => [
      printable(host.host),
      counted(host.requests),
      gapCell(host),
      requiredCell(host),
      gapBar(host),
      cell(found(host.violations), host.violations),
      requestsCell(host),
      counted(host.pauses),
      counted(host.excluded),
      failedCell(host),
      answersCell(host),
      cell(size(host.bytes), host.bytes),
    ]),
  );

  orSentence('pauses-table', 'No host required a pause.', pauses, () =>
    fill(
      'pauses-table',
      `${plural(pauses.length, 'pause')}, in the order in which they began.${leftOut(report.pausesLeftOut, 'later ones')}`,
      pauses.map(({ host, fromMs, untilMs, why, nextAtMs, isObeyed }) => [
        printable(host),
        cell(time(fromMs), fromMs),
        cell(duration(untilMs - fromMs), untilMs - fromMs),
        printable(why, 160),
        nextAtMs === null ? cell('none came', null) : cell(`after ${duration(nextAtMs - fromMs)}`, nextAtMs - fromMs),
        cell(tag(isObeyed ? 'kept' : 'not kept', isObeyed), isObeyed ? 1 : 0),
      ]),
    ),
  );

  const meaning = ({ means, examples }) => [
    printable(means),
    ...examples.map((url) => element('div', { className: 'soft' }, printable(url, 120))),
  ];
  fill(
    'reasons-table',
    `${plural(reasons.length, 'reason')}, by URLs.`,
    reasons.map((each) => [
      printable(each.reason),
      each.status,
      cell(count(each.urls), each.urls),
      bar(each.urls, reasons[0].urls),
      meaning(each),
    ]),
  );

  orSentence('rules-table', 'No line of a robots.txt excluded a URL that was found.', rules, () =>
    fill(
      'rules-table',
      'The copy is the beginning of the file’s name in robots/, and when it was received.',
      rules.map(({ authority, line, pattern, hash, receivedAtMs, urls, example }) => [
        `${printable(authority)}/robots.txt`,
        cell(String(line), line),
        code(printable(pattern, 160)),
        cell(count(urls), urls),
        cell(
          // The whole hash is in report.json; as many digits tell copies apart.
          [
            ...(hash === null ? [] : [code(printable(hash.slice(0, 16))), ' ']),
            receivedAtMs === null ? '' : time(receivedAtMs),
          ],
          receivedAtMs,
        ),
        printable(example, 160),
      ]),
    ),
  );

  fill(
    'statuses-table',
    'Requests by status, or by failure.',
    statuses.map(({ status, requests }) => [
      printable(status),
      cell(count(requests), requests),
      bar(requests, statuses[0].requests),
    ]),
  );

  if (report.stages === undefined) byId('stages').remove();
  else
    fill(
      'stages-table',
      'Functions between handlers and sinks, in all runs that ended by themselves.',
      report.stages.map(({ name, dropped, failed, ...stage }) => [
        printable(name),
        ...[stage.in, stage.out, dropped, failed].map((items) => cell(count(items), items)),
      ]),
    );

  const paceText = ({ name, factor, minMs, maxMs }) =>
    `${name}: at least ${seconds(minMs)}, ${factor} × the last request's duration${maxMs === null ? '' : `, at most ${seconds(maxMs)}`}`;
  put('methods-text', printable(report.methods, 20_000));
  fill(
    'runs-table',
    plural(crawl.runs.length, 'run'),
    crawl.runs.map(({ startedAtMs, versions, pace, concurrency, robots, userAgent }) => [
      cell(time(startedAtMs), startedAtMs),
      printable(`mannerly ${versions.mannerly}, Node ${versions.node}`),
      printable(paceText(pace)),
      cell(String(concurrency), concurrency),
      code(printable(JSON.stringify(robots), 300)),
      printable(userAgent),
    ]),
  );

  put('audit-notes', ...audit.notes.map((note) => element('p', {}, printable(note))));
  fill(
    'audit-table',
    `${plural(audit.requests, 'request')} to ${plural(audit.hosts, 'host')} in ${plural(audit.runs, 'run')}.`,
    Object.entries(audit.counts).map(([kind, times]) => [kind, cell(found(times), times), meanings[kind] ?? '']),
  );

  const MAX_LISTED = 100;
  const listed = audit.violations.slice(0, MAX_LISTED);
  if (listed.length === 0) byId('violations').remove();
  else
    fill(
      'violations-table',
      listed.length === violations
        ? plural(violations, 'violation')
        : `The first ${count(listed.length)} of ${count(violations)}.`,
      listed.map(({ kind, url, atMs, detail }) => [
        kind,
        atMs === null ? '–' : cell(time(atMs), atMs),
        printable(url ?? '–'),
        printable(detail),
      ]),
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
      : `${count(timeline.points.length)} of ${count(totals.requests)} requests, the tightest of every host included`;
  put('lanes-shown', `the ${plural(timeline.hosts.length, 'host')} with most requests: ${shown}`);
  put('gap-host', ...timeline.hosts.map((host) => element('option', { value: host }, printable(host))));
  const most = progress.queued.reduce((top, value) => Math.max(top, value ?? 0), 0);
  put('most-queued', count(most));
  const plotBox = (name) => document.querySelector(`[data-plot="${name}"]`);
  const label = (name, text) => plotBox(name).setAttribute('aria-label', text);
  label(
    'lanes',
    `Requests to ${plural(timeline.hosts.length, 'host')} over time; the tables of hosts and pauses have the figures`,
  );
  const depthName = ({ depth, orDeeper }) => (orDeeper ? `${depth}+` : String(depth));
  label(
    'depths',
    depths
      .slice(0, 20)
      .map((each) => `depth ${depthName(each)}: ${each.fetched} fetched`)
      .join(', ') || 'No URL has a depth',
  );
  label(
    'growth',
    `Over time ${plural(totals.outcomes.fetched, 'URL')} fetched, ${count(totals.outcomes.excluded)} excluded, ${count(totals.outcomes.dropped)} dropped, ${count(totals.outcomes.failed)} failed; at most ${count(most)} queued`,
  );

  // ---- Plots

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const FONT = '12px system-ui, sans-serif';
  const kindOf = (status) =>
    status === 0 ? 'none' : status < 300 ? 'ok' : status < 400 ? 'moved' : status < 500 ? 'client' : 'server';
  const axis = (more) => ({
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
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
  const timeAxis = () => axis({ values: TIMES, space: 70 });
  const utc = (ts) => uPlot.tzDate(new Date(ts * 1000), 'UTC');
  const base = (box, height) => ({
    width: Math.max(240, box.clientWidth),
    height,
    tzDate: utc,
    ms: 0.001,
    legend: { show: false },
    cursor: { y: false, points: NO_POINTS, drag: { x: true, y: false } },
  });

  const NO_POINTS = { show: false };
  const fromZero = { range: (_plot, _least, most) => [0, Math.max(1, most) * 1.05] };
  const countAxis = () =>
    axis({
      values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? count(value) : '')),
      size: 62,
    });
  /** Draws on the canvas within the plot's area, widened by `dx` and `dy` pixels. */
  const within = (u, dx, dy, draw) => {
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

  /** Text next to the pointer; none where `textAt` gives `null`. */
  const withTip = (box, plot, textAt) => {
    const tip = element('div', { className: 'tip', hidden: true });
    box.append(tip);
    const over = plot.over;
    over.addEventListener('pointermove', (event) => {
      const at = over.getBoundingClientRect();
      const x = event.clientX - at.left;
      const y = event.clientY - at.top;
      const text = textAt(x, y);
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
    const widthOf = (label) => pen.measureText(label).width;
    const short = (name) => {
      let kept = printable(name);
      if (widthOf(kept) <= most) return kept;
      while (kept.length > 1 && widthOf(`${kept}…`) > most) kept = kept.slice(0, -1);
      return `${kept}…`;
    };
    const longest = Math.max(...names.map((name) => widthOf(short(name))));
    const lane = isNarrow ? 20 : 24;
    const drawPauses = (ctx, xOf, yOf) => {
      ctx.fillStyle = colour('--pause');
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
      const fills = Object.fromEntries(
        ['ok', 'moved', 'client', 'server', 'none'].map((kind) => [kind, colour(`--${kind}`)]),
      );
      ctx.strokeStyle = colour('--bad');
      ctx.lineWidth = 2 * devicePixelRatio;
      for (const [atMs, host, status, , , bad] of points) {
        ctx.fillStyle = fills[kindOf(status)];
        ctx.globalAlpha = 0.85;
        circle(ctx, xOf(atMs), yOf(-host), radius);
        ctx.fill();
        if (bad !== 1) continue;
        ctx.globalAlpha = 1;
        circle(ctx, xOf(atMs), yOf(-host), radius * 2);
        ctx.stroke();
      }
    };
    const plot = new uPlot(
      {
        ...base(box, names.length * lane + 60),
        // The first host on top: lanes count downwards.
        scales: { x: { time: true }, y: { range: () => [0.5 - names.length, 0.5] } },
        axes: [
          timeAxis(),
          axis({
            splits: () => names.map((_, index) => -index),
            values: () => names.map(short),
            size: Math.ceil(longest) + 18,
            gap: 4,
            grid: { stroke: colour('--line'), width: 1 },
          }),
        ],
        series: [{}, { paths: () => null, points: NO_POINTS }],
        hooks: {
          drawAxes: [(u) => within(u, 0, 0, drawPauses)],
          draw: [(u) => within(u, 3 * devicePixelRatio, 0, drawRequests)],
        },
      },
      [points.map(([atMs]) => atMs / 1000), points.map(([, host]) => -host)],
      box,
    );
    withTip(box, plot, (x, y) => {
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
    });
    return plot;
  };

  /** The gaps of one host, each with what was required. */
  const gaps = (box) => {
    const chosen = timeline.hosts.indexOf(byId('gap-host').value);
    const points = timeline.points.filter(([, host, , gapMs]) => host === chosen && gapMs !== null);
    if (points.length === 0) {
      box.textContent = 'One request went to this host: there is no gap.';
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
        ctx.strokeStyle = colour(gapMs < requiredMs ? '--bad' : '--line');
        line(ctx, x, required, x, yOf(least(gapMs)));
        ctx.strokeStyle = colour('--required');
        line(ctx, x - half, required, x + half, required);
      }
    };
    const plot = new uPlot(
      {
        ...base(box, 260),
        // Dots that are on an axis are cut, or taken for its ticks.
        scales: {
          x: { time: true, range: (_plot, from, to) => [from - (to - from) / 50 - 1, to + (to - from) / 50 + 1] },
          y: { distr: 3, log: 10, range: (_plot, from, to) => [from / 2, to * 2] },
        },
        axes: [
          timeAxis(),
          axis({
            values: (_plot, splits) =>
              splits.map((s) =>
                s === null
                  ? ''
                  : duration(s * 1000)
                      .replace('.00 ', ' ')
                      .replace('.0 ', ' '),
              ),
            size: 62,
          }),
        ],
        series: [
          {},
          { paths: () => null, points: NO_POINTS },
          {
            stroke: colour('--ok'),
            fill: colour('--ok'),
            width: 0,
            paths: () => null,
            points: { show: true, size: 6, fill: colour('--ok'), stroke: colour('--ok') },
          },
        ],
        hooks: { draw: [(u) => within(u, 0, 4, drawRequired)] },
      },
      [
        points.map(([atMs]) => atMs / 1000),
        points.map(([, , , , requiredMs]) => least(requiredMs)),
        points.map(([, , , gapMs]) => least(gapMs)),
      ],
      box,
    );
    withTip(box, plot, (x) => {
      const index = plot.posToIdx(x);
      return points[index] === undefined ? null : pointText(points[index]);
    });
    return plot;
  };

  /** The queue and the URLs with a status over time. */
  const growth = (box) => {
    if (progress.atMs.length === 0) return null;
    const lines = [
      ['queued', '--queue', []],
      ['fetched', '--ok', []],
      ['excluded', '--client', [2, 3]],
      ['dropped', '--dropped', [7, 4]],
      ['failed', '--server', [2, 2]],
    ];
    const plot = new uPlot(
      {
        ...base(box, 280),
        scales: { x: { time: true }, y: fromZero },
        axes: [timeAxis(), countAxis()],
        series: [
          {},
          ...lines.map(([, name, dash]) => ({
            stroke: colour(name),
            width: 2,
            dash,
            spanGaps: true,
            points: NO_POINTS,
          })),
        ],
      },
      [progress.atMs.map((ms) => ms / 1000), ...lines.map(([name]) => progress[name])],
      box,
    );
    withTip(box, plot, (x) => {
      const index = plot.posToIdx(x);
      if (progress.atMs[index] === undefined) return null;
      return [
        `${exactTime(progress.atMs[index])} UTC`,
        `requests ${count(progress.requests[index])}`,
        ...lines.map(([name]) => `${name} ${count(progress[name][index])}`),
      ].join('\n');
    });
    return plot;
  };

  /** Stacked bars over named places. */
  const bars = (box, labels, parts, textOf) => {
    if (labels.length === 0) return null;
    const indexes = labels.map((_, index) => index);
    const sums = [];
    for (const [, values] of parts) sums.push(values.map((value, index) => value + (sums.at(-1)?.[index] ?? 0)));
    const every = Math.ceil((labels.length * 46) / Math.max(120, box.clientWidth - 70));
    const plot = new uPlot(
      {
        ...base(box, 220),
        scales: {
          x: { time: false, range: () => [-0.6, labels.length - 0.4] },
          y: fromZero,
        },
        axes: [
          axis({
            splits: () => indexes,
            values: () => labels.map((label, index) => (index % every === 0 ? label : '')),
            grid: { show: false },
          }),
          countAxis(),
        ],
        // The tallest first, so that the others stand before it.
        series: [
          {},
          ...parts
            .map(([name]) => ({
              stroke: colour(name),
              fill: colour(name),
              width: 0,
              paths: uPlot.paths.bars({ size: [0.7, 60] }),
              points: NO_POINTS,
            }))
            .reverse(),
        ],
        cursor: { x: false, y: false, drag: { x: false, y: false }, points: { show: false } },
      },
      [indexes, ...sums.reverse()],
      box,
    );
    withTip(box, plot, (x) => {
      const index = Math.round(plot.posToVal(x, 'x'));
      return labels[index] === undefined ? null : textOf(index);
    });
    return plot;
  };
  const STATUSES = [
    ['fetched', '--ok'],
    ['excluded', '--client'],
    ['failed', '--server'],
    ['dropped', '--dropped'],
    ['held', '--queue'],
  ];
  const depthBars = (box) =>
    bars(
      box,
      depths.map(depthName),
      STATUSES.map(([status, name]) => [name, depths.map((each) => each[status])]),
      (index) =>
        [
          `depth ${depthName(depths[index])}`,
          ...STATUSES.map(([status]) => `${status} ${count(depths[index][status])}`),
        ].join('\n'),
    );
  const sizeBars = (box) =>
    bars(
      box,
      sizes.map(({ belowBytes }) => (belowBytes === 1 ? '0' : `<${size(belowBytes)}`)),
      [['--moved', sizes.map(({ responses }) => responses)]],
      (index) =>
        `${sizes[index].belowBytes === 1 ? 'no body' : `less than ${size(sizes[index].belowBytes)}`}\n${count(sizes[index].responses)} responses`,
    );

  const KINDS = { lanes, gaps, growth, depths: depthBars, sizes: sizeBars };
  const drawn = new Map();
  const draw = (name) => {
    drawn.get(name)?.destroy();
    plotBox(name).replaceChildren();
    drawn.set(name, KINDS[name](plotBox(name)));
  };
  const drawAll = () => Object.keys(KINDS).forEach(draw);
  drawAll();

  const chooser = byId('gap-host');
  chooser.addEventListener('change', () => draw('gaps'));
  for (const [index, row] of [...byId('hosts-table').tBodies[0].rows].entries()) {
    row.addEventListener('click', () => {
      const { host } = hosts[index];
      if (!timeline.hosts.includes(host) || String(getSelection()) !== '') return;
      chooser.value = host;
      draw('gaps');
    });
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  let width = root.clientWidth;
  addEventListener('resize', () => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    drawAll();
  });
  root.dataset.drawn = 'yes';
})();
