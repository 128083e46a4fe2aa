// The life of report.html: tables that sort, plots by uPlot, a copied paragraph. It reads what the page carries in
// `#report-data` and asks nothing of anybody.
(() => {
  const data = JSON.parse(document.getElementById('report-data').textContent);
  const root = document.documentElement;
  root.classList.add('js');

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const byId = (id) => document.getElementById(id);

  // ---- Words for figures

  const span = (ms) => {
    if (ms === null || ms === undefined) return '–';
    const s = Math.abs(ms) / 1000;
    const sign = ms < 0 ? '−' : '';
    if (s >= 5400) return `${sign}${(s / 3600).toFixed(1)} h`;
    if (s >= 120) return `${sign}${(s / 60).toFixed(1)} min`;
    return `${sign}${s >= 10 ? s.toFixed(1) : s.toFixed(s >= 0.1 || s === 0 ? 2 : 3)} s`;
  };
  const time = (ms) => new Date(ms).toISOString().replace('T', ' ').slice(0, 23);
  const count = (value) => (value === null || value === undefined ? '–' : value.toLocaleString('en'));
  const size = (bytes) => {
    const units = ['B', 'kB', 'MB', 'GB'];
    let unit = 0;
    let value = bytes;
    while (value >= 1000 && unit < 3) {
      value /= 1000;
      unit += 1;
    }
    return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
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
    const isNumber = heads[column].classList.contains('number');
    const was = heads[column].getAttribute('aria-sort');
    const first = isNumber ? 'descending' : 'ascending';
    const next = was === null ? first : was === 'ascending' ? 'descending' : 'ascending';
    for (const head of heads) head.removeAttribute('aria-sort');
    heads[column].setAttribute('aria-sort', next);
    const sign = next === 'ascending' ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
    rows.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll('table.sortable')) {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries())
      head.querySelector('.sort')?.addEventListener('click', () => sortBy(table, column));
  }
  const search = byId('host-search');
  search?.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    for (const row of byId('hosts-table').tBodies[0].rows)
      row.hidden = wanted !== '' && !row.cells[0].textContent.toLowerCase().includes(wanted);
  });

  // ---- Copying

  const copy = byId('copy-methods');
  copy?.addEventListener('click', async () => {
    const paragraph = byId('methods-text');
    try {
      await navigator.clipboard.writeText(paragraph.textContent);
      copy.textContent = 'Copied';
    } catch {
      // Files may be refused the clipboard: the reader's own copying takes what is selected.
      getSelection().selectAllChildren(paragraph);
      copy.textContent = 'Selected: press Ctrl+C';
    }
  });

  // ---- Plots

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
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
  });

  /** A line of text beside the pointer, or nothing. */
  const withTip = (box, plot, textAt) => {
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.hidden = true;
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

  const { timeline, pauses, progress, sizes, depths } = data;
  const pointText = ([atMs, host, status, gapMs, requiredMs, bad]) =>
    [
      timeline.hosts[host],
      `${time(atMs)} UTC`,
      status === 0 ? 'no response' : `status ${status}`,
      gapMs === null ? 'first request' : `gap ${span(gapMs)}, required ${span(requiredMs)}`,
      ...(bad === 1 ? ['violation'] : []),
    ].join('\n');

  /** Requests as dots in a lane for each host, silences as bars behind them. */
  const lanes = (box) => {
    const names = timeline.hosts;
    const points = timeline.points;
    if (points.length === 0) return null;
    const isNarrow = box.clientWidth < 520;
    const room = isNarrow ? 84 : 220;
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = FONT;
    const widthOf = (label) => pen.measureText(label).width;
    const short = (name) => {
      if (widthOf(name) <= room) return name;
      let kept = name;
      while (kept.length > 1 && widthOf(`${kept}…`) > room) kept = kept.slice(0, -1);
      return `${kept}…`;
    };
    const longest = Math.max(...names.map((name) => widthOf(short(name))));
    const lane = isNarrow ? 20 : 24;
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
        series: [{}, { paths: () => null, points: { show: false } }],
        hooks: {
          drawAxes: [
            (u) => {
              const ctx = u.ctx;
              ctx.save();
              ctx.beginPath();
              ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
              ctx.clip();
              ctx.fillStyle = colour('--pause');
              for (const { host, fromMs, untilMs, nextAtMs } of pauses) {
                const index = names.indexOf(host);
                if (index < 0) continue;
                const left = u.valToPos(fromMs / 1000, 'x', true);
                const until = Math.min(untilMs, Math.max(nextAtMs ?? 0, data.endedAtMs));
                const right = u.valToPos(until / 1000, 'x', true);
                const y = u.valToPos(-index, 'y', true);
                ctx.fillRect(
                  left,
                  y - lane * 0.36 * devicePixelRatio,
                  Math.max(1, right - left),
                  lane * 0.72 * devicePixelRatio,
                );
              }
              ctx.restore();
            },
          ],
          draw: [
            (u) => {
              const ctx = u.ctx;
              const radius = 3 * devicePixelRatio;
              ctx.save();
              ctx.beginPath();
              ctx.rect(u.bbox.left - radius, u.bbox.top, u.bbox.width + 2 * radius, u.bbox.height);
              ctx.clip();
              const fills = {
                ok: colour('--ok'),
                moved: colour('--moved'),
                client: colour('--client'),
                server: colour('--server'),
                none: colour('--none'),
              };
              for (const [atMs, host, status, , , bad] of points) {
                const x = u.valToPos(atMs / 1000, 'x', true);
                const y = u.valToPos(-host, 'y', true);
                ctx.fillStyle = fills[kindOf(status)];
                ctx.globalAlpha = 0.85;
                ctx.beginPath();
                ctx.arc(x, y, radius, 0, 2 * Math.PI);
                ctx.fill();
                if (bad !== 1) continue;
                ctx.globalAlpha = 1;
                ctx.strokeStyle = colour('--bad');
                ctx.lineWidth = 2 * devicePixelRatio;
                ctx.beginPath();
                ctx.arc(x, y, radius * 2, 0, 2 * Math.PI);
                ctx.stroke();
              }
              ctx.restore();
            },
          ],
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

  /** The gaps of one host above the line of what was required. */
  const gaps = (box) => {
    const chosen = timeline.hosts.indexOf(byId('gap-host')?.value ?? '');
    const points = timeline.points.filter(([, host, , gapMs]) => host === chosen && gapMs !== null);
    if (points.length === 0) {
      box.textContent = 'This host was asked once: there is no gap.';
      return null;
    }
    // A gap of nothing still has a place on a scale of powers.
    const floor = (ms) => Math.max(ms ?? 0, 1) / 1000;
    const plot = new uPlot(
      {
        ...base(box, 260),
        scales: { x: { time: true }, y: { distr: 3, log: 10 } },
        axes: [
          timeAxis(),
          axis({
            values: (_plot, splits) =>
              splits.map((s) =>
                s === null
                  ? ''
                  : span(s * 1000)
                      .replace('.00 ', ' ')
                      .replace('.0 ', ' '),
              ),
            size: 62,
          }),
        ],
        series: [
          {},
          { paths: () => null, points: { show: false } },
          {
            stroke: colour('--ok'),
            fill: colour('--ok'),
            width: 0,
            paths: () => null,
            points: { show: true, size: 6, fill: colour('--ok'), stroke: colour('--ok') },
          },
        ],
        // What was required holds for its own request alone: a mark for each, and a line to it.
        hooks: {
          draw: [
            (u) => {
              const { ctx } = u;
              ctx.save();
              ctx.beginPath();
              ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height + 4);
              ctx.clip();
              ctx.lineWidth = 2 * devicePixelRatio;
              for (const [atMs, , , gapMs, requiredMs] of points) {
                const x = u.valToPos(atMs / 1000, 'x', true);
                const required = u.valToPos(floor(requiredMs), 'y', true);
                ctx.strokeStyle = colour(gapMs < requiredMs ? '--bad' : '--line');
                ctx.beginPath();
                ctx.moveTo(x, required);
                ctx.lineTo(x, u.valToPos(floor(gapMs), 'y', true));
                ctx.stroke();
                ctx.strokeStyle = colour('--required');
                ctx.beginPath();
                ctx.moveTo(x - 4 * devicePixelRatio, required);
                ctx.lineTo(x + 4 * devicePixelRatio, required);
                ctx.stroke();
              }
              ctx.restore();
            },
          ],
        },
      },
      [
        points.map(([atMs]) => atMs / 1000),
        points.map(([, , , , requiredMs]) => floor(requiredMs)),
        points.map(([, , , gapMs]) => floor(gapMs)),
      ],
      box,
    );
    withTip(box, plot, (x) => {
      const index = plot.posToIdx(x);
      return points[index] === undefined ? null : pointText(points[index]);
    });
    return plot;
  };

  /** What was asked, decided and waiting, over time. */
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
        scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, Math.max(1, most) * 1.05] } },
        axes: [
          timeAxis(),
          axis({
            values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? count(value) : '')),
            size: 62,
          }),
        ],
        series: [
          {},
          ...lines.map(([, name, dash]) => ({
            stroke: colour(name),
            width: 2,
            dash,
            spanGaps: true,
            points: { show: false },
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
        `${time(progress.atMs[index])} UTC`,
        `requests ${count(progress.requests[index])}`,
        ...lines.map(([name]) => `${name} ${count(progress[name][index])}`),
      ].join('\n');
    });
    return plot;
  };

  /** Bars, one on the other, over a few named places. */
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
          y: { range: (_plot, _least, most) => [0, Math.max(1, most) * 1.05] },
        },
        axes: [
          axis({
            splits: () => indexes,
            values: () => labels.map((label, index) => (index % every === 0 ? label : '')),
            grid: { show: false },
          }),
          axis({
            values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? count(value) : '')),
            size: 58,
          }),
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
              points: { show: false },
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
  const WORDS = [
    ['fetched', '--ok'],
    ['excluded', '--client'],
    ['failed', '--server'],
    ['dropped', '--dropped'],
    ['held', '--queue'],
  ];
  const depthBars = (box) =>
    bars(
      box,
      depths.map(({ depth }) => String(depth)),
      WORDS.map(([word, name]) => [name, depths.map((each) => each[word])]),
      (index) =>
        [`depth ${depths[index].depth}`, ...WORDS.map(([word]) => `${word} ${count(depths[index][word])}`)].join('\n'),
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
  const draw = (box) => {
    drawn.get(box)?.destroy();
    box.replaceChildren();
    drawn.set(box, KINDS[box.dataset.plot](box));
  };
  const boxes = [...document.querySelectorAll('.plot')];
  const drawAll = () => boxes.forEach(draw);
  drawAll();

  const chooser = byId('gap-host');
  chooser?.addEventListener('change', () => draw(document.querySelector('[data-plot="gaps"]')));
  for (const row of byId('hosts-table')?.tBodies[0].rows ?? []) {
    row.addEventListener('click', () => {
      const host = row.dataset.host;
      if (chooser === null || !timeline.hosts.includes(host) || String(getSelection()) !== '') return;
      chooser.value = host;
      draw(document.querySelector('[data-plot="gaps"]'));
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
