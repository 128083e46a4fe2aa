// The page of the live view. It draws what the stream of events says, and sends three commands back. Everything that
// comes from a site (URLs, host names, details) is hostile text: it goes into text nodes, never into markup.

const token = new URLSearchParams(location.search).get('token') ?? '';
const authorization = `Bearer ${token}`;

/** Milliseconds without news after which the page says so; a frame comes every second. */
const SILENCE_MS = 5_000;
/** Milliseconds for which the second press on "stop" counts. */
const SURE_MS = 4_000;
/** Rows of reasons that are drawn. */
const MAX_BARS = 14;

const WHY = {
  interval: 'between two requests',
  'crawl-delay': 'its Crawl-delay',
  'request-rate': 'its Request-rate',
  'robots-unreachable': 'robots.txt cannot be had',
  'visit-time': 'outside its Visit-time',
  'request-rate-closed': 'closed at this hour',
  'host-paused': 'it asked for a pause, or fails',
  'host-parked': 'set aside: look at it',
  'address-shared': 'a request to its address is under way',
  'not-before': 'to be requested later',
};
const WARNING_WHY = new Set(['robots-unreachable', 'host-paused', 'visit-time', 'request-rate-closed']);

const $ = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');

let view = null;
/** What to add to this machine's clock to have the crawl's. */
let clockOffsetMs = 0;
let lastNewsMs = performance.now();
let isEnded = false;
let sureUntilMs = 0;

// Text
// ----------------------------------------------------------------------------------------------------

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function duration(ms) {
  const seconds = ms / 1_000;
  if (seconds < 0.95) return `${Math.max(0, Math.round(ms))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.floor(seconds % 60);
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${String(rest).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Whole seconds, for what is drawn again every second. */
function ticking(ms) {
  return ms < 60_000 ? `${Math.max(0, Math.ceil(ms / 1_000))} s` : duration(ms);
}

function byteText(count) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1_000;
    at += 1;
  }
  return `${at === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

function counted(count, noun) {
  return `${numbers.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const crawlNow = () => Date.now() + clockOffsetMs;

// Lists
// ----------------------------------------------------------------------------------------------------

/** As many children as there are values, made once and filled again, so that nothing flickers and a selection stays. */
function fill(parent, values, create, update) {
  while (parent.childElementCount > values.length) parent.lastElementChild.remove();
  while (parent.childElementCount < values.length) parent.append(create());
  values.forEach((value, at) => {
    update(parent.children[at], value);
  });
}

function rowOf(labels, wholes = []) {
  const row = make('tr');
  labels.forEach(([label, className], at) => {
    const cell = make('td', [className ?? '', wholes.includes(at) ? 'whole' : ''].join(' ').trim());
    cell.dataset.label = label;
    row.append(cell);
  });
  return row;
}

function setCell(row, at, text) {
  const cell = row.children[at];
  setText(cell, text);
  setAttribute(cell, 'data-empty', String(text === '' || text === '–'));
}

function setChip(row, at, text, tone) {
  const cell = row.children[at];
  const chip = cell.firstElementChild ?? cell.appendChild(make('span', 'chip'));
  setText(chip, text);
  setAttribute(chip, 'data-tone', tone);
  setAttribute(cell, 'data-empty', String(text === ''));
}

// Drawing
// ----------------------------------------------------------------------------------------------------

function mean(values, last) {
  const some = values.slice(-last);
  return some.length === 0 ? 0 : some.reduce((sum, value) => sum + value, 0) / some.length;
}

function spark(id, values) {
  const [, area, line] = $(id).children;
  const most = Math.max(1, ...values);
  // The latest at the right end; two minutes fill the width.
  const points = values.map((value, at) => {
    const x = 120 - (values.length - 1 - at) * (120 / 119);
    return `${x.toFixed(1)} ${(30 - (value / most) * 28).toFixed(1)}`;
  });
  if (points.length < 2) return;
  const first = points[0].split(' ')[0];
  setAttribute(line, 'd', `M${points.join('L')}`);
  setAttribute(area, 'd', `M${first} 32L${points.join('L')}L120 32Z`);
}

function showBound(id, used, most) {
  $(id).hidden = most === null;
  if (most !== null) $(id).value = Math.min(1, used / most);
}

function drawHead({ activity }) {
  setText($('name'), activity.name);
  const [seed = ''] = activity.seeds;
  const more = activity.seedCount > 1 ? ` and ${counted(activity.seedCount - 1, 'more seed')}` : '';
  setText($('seeds'), `from ${seed}${more}`);
}

function drawState({ activity, progress, underwayCount, hosts, waitingHosts, hasControls }) {
  const { phase, ended } = activity;
  const shown = phase === 'over' ? (ended ?? 'over') : phase;
  setText($('phase'), shown);
  setAttribute($('phase'), 'data-phase', shown);
  setText($('sentence'), sentence(phase, ended, underwayCount, hosts, waitingHosts, progress));
  document.title = `${counted(progress.pages, 'page')} · ${shown} · ${activity.name}`;
  $('controls').hidden = !hasControls;
  const isOpen = phase === 'running' || phase === 'paused' || phase === 'opening';
  $('pause').hidden = phase === 'paused';
  $('resume').hidden = phase !== 'paused';
  $('pause').disabled = isEnded || !isOpen;
  $('resume').disabled = isEnded;
  $('stop').disabled = isEnded || !isOpen;
  if (!isOpen) beSure(false);
}

function sentence(phase, ended, underwayCount, hosts, waitingHosts, progress) {
  switch (phase) {
    case 'idle':
      return 'The crawl has not begun.';
    case 'opening':
      return 'The crawl is being opened.';
    case 'paused':
      return underwayCount > 0
        ? `Pausing: ${counted(underwayCount, 'request')} under way ${underwayCount === 1 ? 'comes to its' : 'come to their'} end.`
        : 'No request leaves until you resume. The time counts against no bound.';
    case 'stopping':
      return 'What is in flight ends, within ten seconds.';
    case 'over':
      return (
        {
          finished: 'Nothing is left to fetch.',
          bounded: 'A bound was reached.',
          waiting: 'Only hosts are left that have to be waited for. The same command goes on later.',
          stopped: 'It was stopped. The same command goes on.',
          failed: 'Something broke: the terminal says what.',
        }[ended] ?? 'The run has ended.'
      );
    default: {
      if (underwayCount > 0) {
        const waiting =
          waitingHosts > 0 ? `; ${counted(waitingHosts, 'host')} wait${waitingHosts === 1 ? 's' : ''}` : '';
        return `${counted(underwayCount, 'host')} ${underwayCount === 1 ? 'is' : 'are'} being asked${waiting}.`;
      }
      const next = hosts.find(({ state }) => state === 'waiting');
      if (next === undefined)
        return progress.inFlight > 0 ? 'Pages are being read.' : 'Looking for the next thing to do.';
      return `Waiting for ${next.host}: ${WHY[next.reason] ?? next.reason}.`;
    }
  }
}

function drawFigures({ activity, progress, rates, waitingHosts, underwayCount }) {
  const { bounds } = activity;
  setText($('pages'), numbers.format(progress.pages));
  setText($('pages-of'), bounds.pages === null ? '' : `of ${numbers.format(bounds.pages)}`);
  showBound('pages-bound', progress.pages, bounds.pages);
  const minutesMs = bounds.minutes === null ? null : bounds.minutes * 60_000;
  setText($('time'), `${ticking(progress.runningMs)} running${minutesMs === null ? '' : ` of ${duration(minutesMs)}`}`);
  showBound('minutes-bound', progress.runningMs, minutesMs);

  setText($('pace'), mean(rates.pages, 10).toFixed(1));
  spark('pace-spark', rates.pages);
  setText($('pace-note'), `${counted(progress.requests, 'request')} in all`);
  setText($('traffic'), byteText(mean(rates.bytes, 10)));
  spark('traffic-spark', rates.bytes);
  setText($('traffic-note'), `${byteText(progress.bytes)} in all`);

  setText($('queued'), numbers.format(progress.queued));
  setText(
    $('queue-note'),
    `${counted(progress.hosts, 'host')}, ${numbers.format(waitingHosts)} waiting, ${numbers.format(underwayCount)} being asked`,
  );
  setText($('excluded'), numbers.format(progress.excluded));
  setText($('excluded-note'), `at the sites’ directive; ${numbers.format(progress.dropped)} more by our own bounds`);
  setText($('failed'), numbers.format(progress.failed));
  setText($('failed-note'), `${counted(progress.items, 'item')} written`);
}

/** Why no request is under way: most of the time of a polite crawl none is. */
function whyNothing(phase) {
  if (phase === 'over') return 'The run has ended.';
  if (phase === 'paused') return 'No request leaves until you resume.';
  return 'None at this moment: between two requests to a host is a pause. The list of hosts says when each is due.';
}

function drawNow({ activity, underway, underwayCount }) {
  setText(
    $('now-count'),
    underwayCount > underway.length ? `${underway.length} of ${underwayCount}` : String(underwayCount),
  );
  $('now-empty').hidden = underwayCount > 0;
  setText($('now-empty'), whyNothing(activity.phase));
  fill(
    $('now'),
    underway,
    () => {
      const item = make('li');
      item.append(make('span', 'purpose'), make('span', 'url'), make('span', 'age'));
      return item;
    },
    (item, { purpose, url, sinceMs }) => {
      setText(item.children[0], purpose);
      setText(item.children[1], url);
      setText(item.children[2], duration(Math.max(0, crawlNow() - sinceMs)));
    },
  );
}

const HOST_CELLS = [
  ['Host'],
  ['Why'],
  ['Due in', 'number'],
  ['Queued', 'number'],
  ['Requests', 'number'],
  ['Last answer', 'after'],
  ['It requires', 'number'],
  ['Smallest gap', 'number'],
];

function drawHosts({ hosts, waitingHosts }) {
  const wanted = $('filter').value.trim().toLowerCase();
  const rows = wanted === '' ? hosts : hosts.filter(({ host }) => host.toLowerCase().includes(wanted));
  const listed = hosts.filter(({ state }) => state === 'waiting' || state === 'parked').length;
  const unlisted = waitingHosts - listed;
  setText(
    $('hosts-count'),
    [
      wanted === '' ? counted(hosts.length, 'host') : `${rows.length} of ${counted(hosts.length, 'host')}`,
      unlisted > 0 ? `${numbers.format(unlisted)} more wait longer` : '',
    ]
      .filter(Boolean)
      .join(', '),
  );
  $('hosts-empty').hidden = rows.length > 0;
  setText($('hosts-empty'), hosts.length > 0 ? 'No host by that name in this list.' : 'No host has been met yet.');
  fill($('hosts'), rows, () => rowOf(HOST_CELLS, [1]), drawHost);
}

function drawHost(row, { host, state, reason, queued, tally }) {
  setAttribute(row, 'data-state', state);
  setCell(row, 0, host);
  if (state === 'asking') setChip(row, 1, 'being asked', 'good');
  else if (state === 'ready') setChip(row, 1, isHeldUp() ? 'due once resumed' : 'its turn has come', 'good');
  else if (state === 'quiet') setChip(row, 1, isOver() ? 'not waited for' : 'nothing to wait for', 'none');
  else if (state === 'parked') setChip(row, 1, WHY[reason] ?? reason, 'bad');
  else setChip(row, 1, WHY[reason] ?? reason, WARNING_WHY.has(reason) ? 'warn' : 'calm');
  setCell(row, 3, queued === null ? '' : numbers.format(queued));
  setCell(
    row,
    4,
    tally === null
      ? ''
      : `${numbers.format(tally.requests)}${tally.errors > 0 ? ` (${numbers.format(tally.errors)} bad)` : ''}`,
  );
  setChip(
    row,
    5,
    tally === null ? '' : String(tally.lastStatus ?? tally.lastFailure ?? ''),
    toneOf(tally?.lastStatus ?? null, tally?.lastFailure ?? null),
  );
  setCell(row, 6, tally === null || tally.asksMs === null ? '–' : duration(tally.asksMs));
  setCell(row, 7, tally === null || tally.smallestGapMs === null ? '–' : duration(tally.smallestGapMs));
}

const isHeldUp = () => view?.activity.phase === 'paused';
const isOver = () => view?.activity.phase === 'over';

/** The clocks of hosts go on between two frames. */
function drawClocks() {
  if (view === null) return;
  const wanted = $('filter').value.trim().toLowerCase();
  const rows = wanted === '' ? view.hosts : view.hosts.filter(({ host }) => host.toLowerCase().includes(wanted));
  rows.forEach(({ state, untilMs }, at) => {
    const row = $('hosts').children[at];
    if (row === undefined) return;
    if (state === 'waiting' && untilMs !== null) {
      const leftMs = untilMs - crawlNow();
      setCell(row, 2, leftMs <= 0 ? 'now' : ticking(leftMs));
    } else setCell(row, 2, state === 'parked' ? 'no end' : state === 'ready' ? 'now' : '');
  });
}

function toneOf(status, failure) {
  if (failure !== null || status === null) return failure === null ? 'none' : 'bad';
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'none';
}

function drawBars(id, rows) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  $(`${id}-empty`).hidden = rows.length > 0;
  fill(
    $(id),
    rows,
    () => {
      const item = make('li');
      const bar = make('span', 'bar');
      bar.append(make('span', 'fill'));
      item.append(make('span'), bar, make('span', 'number'));
      return item;
    },
    (item, { label, count, tone }) => {
      setAttribute(item, 'data-tone', tone);
      setText(item.children[0], label);
      item.children[1].firstElementChild.style.width = `${((100 * count) / most).toFixed(1)}%`;
      setText(item.children[2], numbers.format(count));
    },
  );
}

function drawOutcomes({ answers, outcomes }) {
  const toneOfAnswer = (word) => (/^[123]xx$/.test(word) ? 'good' : word === '4xx' ? 'warn' : 'bad');
  drawBars(
    'answers',
    Object.entries(answers)
      .map(([label, count]) => ({ label, count, tone: toneOfAnswer(label) }))
      .sort((a, b) => a.label.localeCompare(b.label))
      .slice(0, MAX_BARS),
  );
  const tones = { fetched: 'good', excluded: 'calm', dropped: 'calm', failed: 'bad', held: 'warn' };
  drawBars(
    'outcomes',
    Object.entries(outcomes)
      .flatMap(([word, reasons]) =>
        Object.entries(reasons).map(([reason, count]) => ({
          label: reason === word ? word : `${word}: ${reason}`,
          count,
          tone: tones[word] ?? 'calm',
        })),
      )
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_BARS),
  );
}

const PROCESS_CELLS = [
  ['Process'],
  ['State'],
  ['Under way', 'number'],
  ['Requests', 'number'],
  ['Items', 'number'],
  ['Received', 'number'],
];
const PHASE_TONES = { running: 'good', opening: 'calm', paused: 'warn', stopping: 'warn', silent: 'bad' };

function drawProcesses({ processes }) {
  $('processes-card').hidden = processes.length === 0;
  setText($('processes-count'), `${processes.filter(({ phase }) => phase in PHASE_TONES).length} at work or silent`);
  fill(
    $('processes'),
    processes,
    () => rowOf(PROCESS_CELLS),
    (row, { name, phase, underway, requests, items, bytes }) => {
      setCell(row, 0, name);
      setChip(row, 1, phase, PHASE_TONES[phase] ?? 'none');
      setCell(row, 2, numbers.format(underway));
      setCell(row, 3, numbers.format(requests));
      setCell(row, 4, numbers.format(items));
      setCell(row, 5, byteText(bytes));
    },
  );
}

function drawNotes({ notes }) {
  $('notes-empty').hidden = notes.length > 0;
  setText($('notes-count'), notes.length === 0 ? '' : 'the latest first');
  fill(
    $('notes'),
    notes,
    () => {
      const item = make('li');
      item.append(make('span'), make('span', 'detail soft'), make('span', 'age'));
      return item;
    },
    (item, { kind, about, detail, atMs }) => {
      setText(item.children[0], about);
      setText(item.children[1], detail === '' ? kind : `${kind}: ${detail}`);
      setText(item.children[2], ago(atMs));
    },
  );
}

const RECENT_CELLS = [['URL', 'url'], ['Answer'], ['Took', 'number'], ['Size', 'number'], ['Ago', 'number']];

function drawRecent({ recent }) {
  $('recent-empty').hidden = recent.length > 0;
  fill(
    $('recent'),
    recent,
    () => rowOf(RECENT_CELLS),
    (row, { url, status, failure, tookMs, bytes, atMs }) => {
      setCell(row, 0, url);
      setChip(row, 1, String(status ?? failure ?? ''), toneOf(status, failure));
      setCell(row, 2, duration(tookMs));
      setCell(row, 3, byteText(bytes));
      setCell(row, 4, ago(atMs));
    },
  );
}

function ago(atMs) {
  return ticking(Math.max(0, crawlNow() - atMs));
}

function draw(next) {
  view = next;
  clockOffsetMs = next.activity.nowMs - Date.now();
  lastNewsMs = performance.now();
  if (!isEnded) tell(null);
  drawHead(next);
  drawState(next);
  drawFigures(next);
  drawProcesses(next);
  drawNow(next);
  drawHosts(next);
  drawClocks();
  drawOutcomes(next);
  drawNotes(next);
  drawRecent(next);
}

/** A line across the page; `null`: none. */
function tell(text) {
  $('banner').hidden = text === null;
  if (text !== null) setText($('banner'), text);
}

// Buttons
// ----------------------------------------------------------------------------------------------------

async function act(verb) {
  try {
    const response = await fetch(`/${verb}`, { method: 'POST', headers: { authorization }, credentials: 'omit' });
    if (response.ok) draw(await response.json());
    else tell(`The crawl did not ${verb}: ${(await response.text()).trim()}`);
  } catch {
    tell(`The crawl cannot be reached, so it was not told to ${verb}.`);
  }
}

function beSure(isSure) {
  sureUntilMs = isSure ? performance.now() + SURE_MS : 0;
  setText($('stop'), isSure ? 'Really stop?' : 'Stop');
  setAttribute($('stop'), 'data-sure', String(isSure));
}

$('pause').addEventListener('click', () => act('pause').then(() => $('resume').focus()));
$('resume').addEventListener('click', () => act('resume').then(() => $('pause').focus()));
$('stop').addEventListener('click', () => {
  if (performance.now() > sureUntilMs) {
    beSure(true);
    return;
  }
  beSure(false);
  act('stop');
});
$('filter').addEventListener('input', () => {
  if (view === null) return;
  drawHosts(view);
  drawClocks();
});

// News
// ----------------------------------------------------------------------------------------------------

const stream = new EventSource(`/events?token=${encodeURIComponent(token)}`);
stream.addEventListener('view', (event) => draw(JSON.parse(event.data)));
stream.addEventListener('end', () => {
  isEnded = true;
  stream.close();
  if (view !== null) drawState(view);
  tell('The crawl has closed this view: what you see is its last word.');
});

setInterval(() => {
  if (sureUntilMs > 0 && performance.now() > sureUntilMs) beSure(false);
  if (isEnded) return;
  drawClocks();
  if (performance.now() - lastNewsMs < SILENCE_MS) return;
  setText($('phase'), 'no news');
  setAttribute($('phase'), 'data-phase', 'lost');
  tell('Nothing has been heard of the crawl for some seconds. Its process may have ended, or the machine is busy.');
}, 500);
