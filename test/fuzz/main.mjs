// Feeds every reader of foreign bytes random inputs until the time is over: `pnpm fuzz [minutes] [reader…]`. A reader
// fails if it throws, hangs, runs out of memory or takes far longer than linear; the input is then kept in a file. The
// readers run in a thread, so that one that hangs can be noticed and ended.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { MAX_INPUT_BYTES } from './inputs.mjs';

const HELP = `usage: pnpm fuzz [MINUTES] [READER …] [--seed N] [--input FILE]

Feeds the readers of foreign bytes with inputs made by chance from samples and hostile units. Readers whose name begins
as an argument does take part (letters of either case); without any, all. MINUTES: 1, fractions allowed.

  --seed N            begin with this seed, 0 to 4,294,967,295; without it, one of chance. It is printed, and a failure
                      names the seed with which its reader fails in its first round
  --rounds N          end after so many rounds of 40 inputs for each reader, if the minutes are not over before
  --input FILE        read this file with each of the readers, once, and end
  --keep FOLDER       where failing inputs are kept (test/fuzz/failures)
  --longest SECONDS   a reader that takes longer for one input stands still (30)
  --table MODULE      other readers: a module that exports READERS, and may export LATE_READERS and UNITS
  --list              name the readers
  -h, --help          this text

Exit code: 0, nothing found; 1, a reader failed; 2, a wrong argument.`;

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The memory limit of the thread, MiB: enough to read any one input. */
const HEAP_MIB = 512;

const settings = readArguments();
// A folder from which the packages can be resolved that readers load on first use.
const work = mkdtempSync(join(root, 'packages/core/node_modules/.fuzz-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const table = resolve(settings.table ?? join(root, 'packages/core/test-support/readers.ts'));
const module =
  settings.table === undefined ? await (await import('./bundle-readers.mjs')).bundleReaders(table, work) : table;
const names = await namesIn(module);
if (settings.list) {
  console.log(names.join('\n'));
  process.exit(0);
}
const wanted = settings.readers.map((name) => name.toLowerCase());
const chosen = names.filter(
  (name) => wanted.length === 0 || wanted.some((each) => name.toLowerCase().startsWith(each)),
);
const unknown = settings.readers.filter(
  (each) => !chosen.some((name) => name.toLowerCase().startsWith(each.toLowerCase())),
);
if (unknown.length > 0) refuse(`no reader begins with: ${unknown.join(', ')}; --list names them`);

/** Shared by thread and main program: how many inputs were started, the bytes of the current one, and its reader. */
const shared = new SharedArrayBuffer(16 + MAX_INPUT_BYTES);
const state = new Int32Array(shared, 0, 4);
const bytes = new Uint8Array(shared, 16);
const startedMs = performance.now();
const endsMs = startedMs + settings.minutes * 60_000;
let round = 0;
let failures = 0;

console.log(`seed ${settings.seed}; ${chosen.length} readers; ${settings.minutes} minutes`);
let left = chosen;
while (left.length > 0 && (performance.now() < endsMs || settings.input !== undefined)) {
  const failed = await runThread(left);
  left = failed === null ? [] : left.filter((name) => name !== failed);
}
tell('');
const seconds = Math.round((performance.now() - startedMs) / 1_000);
console.log(
  `${Atomics.load(state, 0).toLocaleString('en')} inputs in ${seconds} s, ${failures} of ${chosen.length} readers failed`,
);
process.exit(failures === 0 ? 0 : 1);

/**
 * Runs the thread until the time is over (`null`), or until a reader fails in a way that ends the thread (its name).
 */
function runThread(readers) {
  const worker = new Worker(new URL('reading-thread.mjs', import.meta.url), {
    workerData: {
      ...{
        module: pathToFileURL(module).href,
        readers,
        shared,
        round,
        seed: settings.seed,
        rounds: settings.rounds,
        input: settings.input,
      },
      endsMs: Date.now() + endsMs - performance.now(),
    },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  return new Promise((done) => {
    let [begun, sinceMs, toldMs] = [-1, performance.now(), 0];
    const watch = setInterval(() => {
      const nowMs = performance.now();
      const count = Atomics.load(state, 0);
      if (count !== begun) [begun, sinceMs] = [count, nowMs];
      else if (nowMs - sinceMs > settings.longest * 1_000 && count > 0) end(`stood still for ${settings.longest} s`);
      if (nowMs - toldMs < (process.stderr.isTTY ? 500 : 30_000)) return;
      toldMs = nowMs;
      const secondsGone = Math.round((nowMs - startedMs) / 1_000);
      tell(
        `${secondsGone} s, round ${round + 1}, ${count.toLocaleString('en')} inputs, ${failures} failures: ${current(readers)}`,
      );
    }, 50);
    const end = (why) => {
      clearInterval(watch);
      worker.removeAllListeners();
      worker.on('error', () => undefined);
      const name = why === null ? null : current(readers);
      if (name !== null) keep(name, bytes.slice(0, Atomics.load(state, 1)), why);
      worker.terminate().then(() => done(name));
    };
    worker.on('message', (message) => {
      if (message.kind === 'round') round = message.round;
      else if (message.kind === 'read') console.log(`${message.name}: ${message.ms.toFixed(1)} ms`);
      else if (message.kind === 'failed') keep(message.name, message.bytes, message.why);
      else end(null);
    });
    worker.on('error', (error) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `more than ${HEAP_MIB} MiB of memory` : error.stack),
    );
  });
}

function current(readers) {
  return readers[Atomics.load(state, 2)] ?? readers[0];
}

/** Keeps and reports an input on which a reader failed. */
function keep(name, input, why) {
  failures += 1;
  const seed = (settings.seed + round) % 2 ** 32;
  const folder = resolve(settings.keep ?? join(root, 'test/fuzz/failures'));
  const path = join(folder, `${name.replace(/[^\w.]+/g, '-').toLowerCase()}-${seed}.bin`);
  tell('');
  console.log(`FAILED ${name}: ${why}`);
  if (settings.input !== undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, input);
  console.log(`  its input, ${input.length} bytes: ${relative(process.cwd(), path)}`);
  console.log(`  again: pnpm fuzz 1 --seed ${seed} '${name}', or --input ${relative(process.cwd(), path)} '${name}'`);
}

/** A line of progress; on a terminal it is overwritten. */
function tell(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text.slice(0, process.stderr.columns - 1)}`);
  else if (text !== '') console.error(text);
}

async function namesIn(path) {
  const { READERS, LATE_READERS = [] } = await import(pathToFileURL(path).href);
  return [...READERS, ...LATE_READERS].map(([name]) => name);
}

function readArguments() {
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        rounds: { type: 'string', default: '1000000000' },
        input: { type: 'string' },
        keep: { type: 'string' },
        longest: { type: 'string', default: '30' },
        table: { type: 'string' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    refuse(error.message);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const hasMinutes = /^\d*\.?\d+$/.test(positionals[0] ?? '');
  const minutes = hasMinutes ? Number(positionals[0]) : 1;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) refuse(`--seed: 0 to ${2 ** 32 - 1}, got ${values.seed}`);
  if (minutes > 10_000) refuse(`MINUTES: at most 10000, got ${minutes}`);
  const rounds = Number(values.rounds);
  if (!(rounds >= 1)) refuse(`--rounds: at least 1, got ${values.rounds}`);
  const longest = Number(values.longest);
  if (!(longest > 0 && longest <= 3_600)) refuse(`--longest: seconds above 0, at most 3600, got ${values.longest}`);
  if (values.input !== undefined && readFileSync(values.input).length > MAX_INPUT_BYTES) {
    refuse(`--input: at most ${MAX_INPUT_BYTES} bytes`);
  }
  return { ...values, minutes, seed, rounds, longest, readers: positionals.slice(hasMinutes ? 1 : 0) };
}

function refuse(why) {
  console.error(`pnpm fuzz: ${why}\n\n${HELP}`);
  process.exit(2);
}
