// The page of the live view. It draws what the stream of events says, and sends three commands back.
import { bar, byId, count, fill, plural, put, size, tag } from './elements.js';

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
/** The tones of phases of a crawl and of its processes, and of what a run has ended with. */
const PHASES = {
  opening: 'moved',
  running: 'good',
  finished: 'good',
  bounded: 'good',
  paused: 'warn',
  stopping: 'warn',
  stopped: 'warn',
  waiting: 'warn',
  silent: 'bad',
  failed: 'bad',
  lost: 'bad',
};
const AT_WORK = new Set(['running', 'opening', 'paused', 'stopping', 'silent']);

let view = null;
/** What to add to this machine's clock to have the crawl's. */
let clockOffsetMs = 0;
let lastNewsMs = performance.now();
let isEnded = false;
let sureUntilMs = 0;

// ---- Text

const duration = (ms) => {
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
};
/** Whole seconds, for what is drawn again every second. */
const ticking = (ms) => (ms < 60_000 ? `${Math.max(0, Math.ceil(ms / 1_000))} s` : duration(ms));
const crawlNow = () => Date.now() + clockOffsetMs;
const ago = ({ atMs }) => ticking(crawlNow() - atMs);

// ---- Drawing

const mean = (values, last) => {
  const some = values.slice(-last);
  return some.length === 0 ? 0 : some.reduce((sum, value) => sum + value, 0) / some.length;
};

function spark(id, values) {
  if (values.length < 2) return;
  const [area, line] = byId(id).children;
  const most = Math.max(1, ...values);
  // The latest at the right end; two minutes fill the width.
  const xOf = (at) => (120 - (values.length - 1 - at) * (120 / 119)).toFixed(1);
  const path = `M${values.map((value, at) => `${xOf(at)} ${(30 - (value / most) * 28).toFixed(1)}`).join('L')}`;
  line.setAttribute('d', path);
  area.setAttribute('d', `${path}L120 32L${xOf(0)} 32Z`);
}

function showBound(id, used, most) {
  byId(id).hidden = most === null;
  if (most !== null) byId(id).value = Math.min(1, used / most);
}

/** A table, or the sentence below it where it would have no rows. */
function list(id, columns, rows) {
  byId(id).closest('.scroll').hidden = rows.length === 0;
  const sentence = byId(`${id}-empty`);
  if (sentence !== null) sentence.hidden = rows.length > 0;
  fill(id, null, columns, rows);
}

function drawHead({ activity }) {
  put('name', activity.name);
  const [seed = ''] = activity.seeds;
  const more = activity.seedCount > 1 ? ` and ${plural(activity.seedCount - 1, 'more seed')}` : '';
  put('seeds', `from ${seed}${more}`);
}

function showPhase(phase, says) {
  put('phase', says);
  byId('phase').dataset.phase = phase;
  byId('state').className = `verdict ${PHASES[phase] ?? 'moved'}`;
}

function drawState({ activity, progress, underwayCount, hosts, waitingHosts, hasControls }) {
  const { phase, ended } = activity;
  const shown = phase === 'over' ? (ended ?? 'over') : phase;
  showPhase(shown, shown);
  put('sentence', sentence(phase, ended, underwayCount, hosts, waitingHosts, progress));
  document.title = `${plural(progress.pages, 'page')} · ${shown} · ${activity.name}`;
  byId('controls').hidden = !hasControls;
  const isOpen = phase === 'running' || phase === 'paused' || phase === 'opening';
  byId('pause').hidden = phase === 'paused';
  byId('resume').hidden = phase !== 'paused';
  byId('pause').disabled = isEnded || !isOpen;
  byId('resume').disabled = isEnded;
  byId('stop').disabled = isEnded || !isOpen;
  if (!isOpen) beSure(false);
}

const ENDINGS = {
  finished: 'Nothing is left to fetch.',
  bounded: 'A bound was reached.',
  waiting: 'All remaining hosts have to wait. Run the same command again later.',
  stopped: 'It was stopped. The same command goes on.',
  failed: 'Something broke: the terminal says what.',
};

function sentence(phase, ended, underwayCount, hosts, waitingHosts, progress) {
  const isOne = underwayCount === 1;
  if (phase === 'idle') return 'The crawl has not begun.';
  if (phase === 'opening') return 'The crawl is being opened.';
  if (phase === 'stopping') return 'What is in flight ends, within ten seconds.';
  if (phase === 'over') return ENDINGS[ended] ?? 'The run has ended.';
  if (phase === 'paused')
    return underwayCount > 0
      ? `Pausing: ${plural(underwayCount, 'request')} under way ${isOne ? 'comes to its' : 'come to their'} end.`
      : 'No request leaves until you resume. The time counts against no bound.';
  if (underwayCount > 0) {
    const waiting = waitingHosts > 0 ? `; ${plural(waitingHosts, 'host waits', 'hosts wait')}` : '';
    return `${plural(underwayCount, 'host is', 'hosts are')} being asked${waiting}.`;
  }
  const next = hosts.find(({ state }) => state === 'waiting');
  if (next !== undefined) return `Waiting for ${next.host}: ${WHY[next.reason] ?? next.reason}.`;
  return progress.inFlight > 0 ? 'Pages are being read.' : 'Looking for the next thing to do.';
}

function drawFigures({ activity, progress, rates, waitingHosts, underwayCount }) {
  const { bounds } = activity;
  put('pages', count(progress.pages));
  put('pages-of', bounds.pages === null ? '' : `of ${count(bounds.pages)}`);
  showBound('pages-bound', progress.pages, bounds.pages);
  const minutesMs = bounds.minutes === null ? null : bounds.minutes * 60_000;
  put('time', `${ticking(progress.runningMs)} running${minutesMs === null ? '' : ` of ${duration(minutesMs)}`}`);
  showBound('minutes-bound', progress.runningMs, minutesMs);
  put('pace', mean(rates.pages, 10).toFixed(1));
  spark('pace-spark', rates.pages);
  put('pace-note', `${plural(progress.requests, 'request')} in all`);
  put('traffic', size(mean(rates.bytes, 10)));
  spark('traffic-spark', rates.bytes);
  put('traffic-note', `${size(progress.bytes)} in all`);
  put('queued', count(progress.queued));
  const waiting = `${count(waitingHosts)} waiting, ${count(underwayCount)} being asked`;
  put('queue-note', `${plural(progress.hosts, 'host')}, ${waiting}`);
  put('excluded', count(progress.excluded));
  put('excluded-note', `at the sites’ directive; ${count(progress.dropped)} more by our own bounds`);
  put('failed', count(progress.failed));
  put('failed-note', `${plural(progress.items, 'item')} written`);
}

/** Why no request is under way: most of the time of a polite crawl none is. */
function whyNothing(phase) {
  if (phase === 'over') return 'The run has ended.';
  if (phase === 'paused') return 'No request leaves until you resume.';
  return 'None at this moment: between two requests to a host is a pause. The list of hosts says when each is due.';
}

function drawNow({ activity, underway, underwayCount }) {
  put('now-count', underwayCount > underway.length ? `${underway.length} of ${underwayCount}` : String(underwayCount));
  put('now-empty', whyNothing(activity.phase));
  const columns = [
    ['URL', 'text', ({ url }) => url],
    ['Purpose', 'text', ({ purpose }) => purpose],
    ['For', 'number', ({ sinceMs }) => duration(crawlNow() - sinceMs)],
  ];
  list('now', columns, underway);
}

const toneOf = (status, failure) => {
  if (status === null) return failure === null ? 'none' : 'bad';
  if (failure !== null || status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'none';
};
const answerTag = (status, failure) => tag(String(status ?? failure ?? ''), toneOf(status, failure));
const ofTally = (tally, textOf) => (tally === null ? '' : textOf(tally));
const orDash = (ms) => (ms === null ? '–' : duration(ms));

function whyTag({ state, reason }) {
  const phase = view.activity.phase;
  if (state === 'asking') return tag('being asked', 'good');
  if (state === 'ready') return tag(phase === 'paused' ? 'due once resumed' : 'its turn has come', 'good');
  if (state === 'quiet') return phase === 'over' ? 'not waited for' : 'nothing to wait for';
  return tag(WHY[reason] ?? reason, state === 'parked' ? 'bad' : WARNING_WHY.has(reason) ? 'warn' : 'moved');
}

function dueText({ state, untilMs }) {
  if (state === 'parked') return 'no end';
  if (state === 'ready') return 'now';
  if (state !== 'waiting' || untilMs === null) return '';
  return untilMs <= crawlNow() ? 'now' : ticking(untilMs - crawlNow());
}

const requestsText = ({ requests, errors }) => `${count(requests)}${errors > 0 ? ` (${count(errors)} bad)` : ''}`;
const HOSTS = [
  ['Host', 'text', ({ host }) => host],
  ['Why it waits', 'text', whyTag],
  ['Due in', 'number', dueText],
  ['Queued', 'number', ({ queued }) => (queued === null ? '' : count(queued))],
  ['Requests', 'number', ({ tally }) => ofTally(tally, requestsText)],
  ['Last answer', 'text', ({ tally }) => ofTally(tally, (each) => answerTag(each.lastStatus, each.lastFailure))],
  ['It requires', 'number', ({ tally }) => orDash(tally?.asksMs ?? null)],
  ['Smallest gap', 'number', ({ tally }) => orDash(tally?.smallestGapMs ?? null)],
];

/** The clocks of hosts go on between two frames. */
function drawHosts({ hosts, waitingHosts }) {
  const wanted = byId('filter').value.trim().toLowerCase();
  const rows = hosts.filter(({ host }) => host.toLowerCase().includes(wanted));
  const listed = hosts.filter(({ state }) => state === 'waiting' || state === 'parked').length;
  const unlisted = waitingHosts - listed;
  const shown = wanted === '' ? plural(hosts.length, 'host') : `${rows.length} of ${plural(hosts.length, 'host')}`;
  put('hosts-count', `${shown}${unlisted > 0 ? `, ${count(unlisted)} more wait longer` : ''}`);
  put('hosts-empty', hosts.length > 0 ? 'No host by that name in this list.' : 'No host has been met yet.');
  list('hosts', HOSTS, rows);
}

function drawBars(id, heading, rows) {
  const most = Math.max(1, ...rows.map(({ times }) => times));
  const columns = [
    [heading, 'text', ({ label }) => label],
    ['Share', 'bar', ({ times, tone }) => bar(times, most, tone)],
    ['Number', 'number', ({ times }) => count(times)],
  ];
  list(id, columns, rows.slice(0, MAX_BARS));
}

const OUTCOME_TONES = { fetched: 'good', excluded: 'moved', dropped: 'moved', failed: 'bad', held: 'warn' };

function drawOutcomes({ answers, outcomes }) {
  const toneOfAnswer = (kind) => (/^[123]xx$/.test(kind) ? 'good' : kind === '4xx' ? 'warn' : 'bad');
  const answerRows = Object.entries(answers).map(([label, times]) => ({ label, times, tone: toneOfAnswer(label) }));
  drawBars(
    'answers',
    'Answer',
    answerRows.sort((a, b) => a.label.localeCompare(b.label)),
  );
  const outcomeRows = Object.entries(outcomes).flatMap(([status, reasons]) =>
    Object.entries(reasons).map(([reason, times]) => ({
      label: reason === status ? status : `${status}: ${reason}`,
      times,
      tone: OUTCOME_TONES[status] ?? 'moved',
    })),
  );
  drawBars(
    'outcomes',
    'Status',
    outcomeRows.sort((a, b) => b.times - a.times),
  );
}

const PROCESSES = [
  ['Process', 'text', ({ name }) => name],
  ['State', 'text', ({ phase }) => tag(phase, PHASES[phase] ?? 'none')],
  ['Under way', 'number', ({ underway }) => count(underway)],
  ['Requests', 'number', ({ requests }) => count(requests)],
  ['Items', 'number', ({ items }) => count(items)],
  ['Received', 'number', ({ bytes }) => size(bytes)],
];
const NOTES = [
  ['About', 'text', ({ about }) => about],
  ['What', 'text', ({ kind, detail }) => (detail === '' ? kind : `${kind}: ${detail}`)],
  ['Ago', 'number', ago],
];
const RECENT = [
  ['URL', 'text', ({ url }) => url],
  ['Answer', 'text', ({ status, failure }) => answerTag(status, failure)],
  ['Took', 'number', ({ tookMs }) => duration(tookMs)],
  ['Size', 'number', ({ bytes }) => size(bytes)],
  ['Ago', 'number', ago],
];

function draw(next) {
  view = next;
  clockOffsetMs = next.activity.nowMs - Date.now();
  lastNewsMs = performance.now();
  if (!isEnded) tell(null);
  drawHead(next);
  drawState(next);
  drawFigures(next);
  drawNow(next);
  drawHosts(next);
  drawOutcomes(next);
  byId('processes-card').hidden = next.processes.length === 0;
  put('processes-count', `${next.processes.filter(({ phase }) => AT_WORK.has(phase)).length} at work or silent`);
  list('processes', PROCESSES, next.processes);
  list('notes', NOTES, next.notes);
  list('recent', RECENT, next.recent);
}

/** A line across the page; `null`: none. */
function tell(text) {
  byId('banner').hidden = text === null;
  put('banner', text ?? '');
}

// ---- Buttons

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
  put('stop', isSure ? 'Really stop?' : 'Stop');
}

byId('pause').addEventListener('click', () => act('pause').then(() => byId('resume').focus()));
byId('resume').addEventListener('click', () => act('resume').then(() => byId('pause').focus()));
byId('stop').addEventListener('click', () => {
  const isSure = performance.now() <= sureUntilMs;
  beSure(!isSure);
  if (isSure) act('stop');
});
byId('filter').addEventListener('input', () => {
  if (view !== null) drawHosts(view);
});

// ---- News

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
  if (view !== null) drawHosts(view);
  if (performance.now() - lastNewsMs < SILENCE_MS) return;
  showPhase('lost', 'no news');
  tell('Nothing has been heard of the crawl for some seconds. Its process may have ended, or the machine is busy.');
}, 500);
