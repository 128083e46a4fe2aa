// Six times, a working process is killed and the file is opened again: everything that was confirmed must be there,
// complete (A2, C2, C5, R1), and its hosts must be free (O1). Meanwhile another process opens and closes the file.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FrontierStore, NewEntry } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freshSeed, seeded } from './frontier-kill.js';

const ROUNDS = 6;
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-reopen-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** The confirmations that the killed processes got, `host name`. */
interface Confirmed {
  readonly added: Set<string>;
  /** Commits in flight or done. */
  readonly trying: Set<string>;
  readonly done: Set<string>;
  record: string;
}

it('six kills at random moments, two of them during start-up: nothing lost, nothing half done', async () => {
  const seed = freshSeed();
  const random = seeded(seed);
  const path = join(folder, 'frontier');
  const confirmed: Confirmed = { added: new Set(), trying: new Set(), done: new Set(), record: '' };
  const { entryOf } = (await import(here('frontier-kill-entries.mjs'))) as {
    entryOf(host: string, name: string): NewEntry;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const isEarly = round % 4 === 1;
    const ms = isEarly ? 40 + random() * 60 : random() * 400;
    for (const line of await killedAfter(path, round, isEarly, ms)) note(line, confirmed);
    await inspect(path, confirmed, entryOf, `round ${round}, seed ${seed}`);
  }
  // Every round except the early ones completed something before its kill.
  expect(confirmed.done.size).toBeGreaterThan(ROUNDS / 2);
}, 300_000);

async function inspect(
  path: string,
  confirmed: Confirmed,
  entryOf: (host: string, name: string) => NewEntry,
  where: string,
): Promise<void> {
  const store = lmdbStore({ path, commitEveryMs: 0 });
  await store.open({ crawl: 'kill', create: true });
  const there = await everything(store);
  const lost = [...confirmed.added].filter((name) => !there.has(name) && !confirmed.trying.has(name));
  expect(lost, `added and lost, ${where}`).toEqual([]);
  const back = [...confirmed.done].filter((name) => there.has(name));
  expect(back, `done and back, ${where}`).toEqual([]);
  // A page that is gone was completed, confirmed or not: its link must be there.
  const gone = [...confirmed.trying].filter((name) => !there.has(name)).map((name) => `${name}.link`);
  const orphaned = gone.filter((name) => !there.has(name) && !confirmed.trying.has(name));
  expect(orphaned, `pages done whose link is lost, ${where}`).toEqual([]);
  const { queued, inFlight, known } = await store.stats();
  expect(queued + inFlight, `counts, ${where}`).toBe(there.size);
  const names = [...confirmed.added, ...gone];
  expect(known).toBeGreaterThanOrEqual(new Set(names).size);
  const outcomes = new Set<string>();
  for (let at = 0; at < names.length; at += 4_000) {
    const again = names.slice(at, at + 4_000).map((name) => entryOf(...(name.split(' ') as [string, string])));
    for (const outcome of await store.add(again)) outcomes.add(outcome);
  }
  expect(
    [...outcomes].filter((outcome) => outcome !== 'known'),
    where,
  ).toEqual([]);
  const record = Buffer.from((await store.readRecord('latest')) ?? []).toString();
  expect(isNoEarlier(record, confirmed.record), `the record says ${record}, told ${confirmed.record}, ${where}`).toBe(
    true,
  );
  if (queued + inFlight > 0) expect(await store.nextDueInMs(), where).toBe(0);
  await store.close();
}

/** Every entry of the store, `host name`. */
async function everything(store: FrontierStore): Promise<Set<string>> {
  const names = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<FrontierStore['scan']>> = await store.scan(cursor, 5_000);
    for (const { host, entry } of page.items) names.add(`${host} ${Buffer.from(entry.body)}`);
    cursor = page.cursor;
  } while (cursor !== null);
  return names;
}

/**
 * Starts a writer and kills it so many milliseconds after its start or, unless `isEarly`, after its first completion,
 * however long that takes on a busy machine. Returns the complete lines that it wrote.
 */
async function killedAfter(path: string, round: number, isEarly: boolean, ms: number): Promise<string[]> {
  const writer = spawn(process.execPath, [here('frontier-kill-writer.mjs'), path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const opener = spawn(process.execPath, [here('frontier-kill-opener.mjs'), path], { stdio: 'ignore' });
  const openerEnded = new Promise((resolve) => opener.once('close', resolve));
  let text = '';
  const working = new Promise<void>((resolve) => {
    writer.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      if (isEarly || /^done /m.test(text)) resolve();
    });
    if (isEarly) resolve();
  });
  const ended = new Promise<void>((resolve) => writer.once('close', () => resolve()));
  await Promise.race([working, ended]);
  setTimeout(() => writer.kill('SIGKILL'), ms);
  await ended;
  opener.kill('SIGKILL');
  await openerEnded;
  return text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
}

function note(line: string, confirmed: Confirmed): void {
  const at = line.indexOf(' ');
  const [kind, name] = [line.slice(0, at), line.slice(at + 1)];
  if (kind === 'added') confirmed.added.add(name);
  else if (kind === 'trying') confirmed.trying.add(name);
  else if (kind === 'done') confirmed.done.add(name);
  else if (kind === 'record') confirmed.record = name;
}

/** Records are `round turn`; a later one may have been stored without a confirmation. */
function isNoEarlier(record: string, confirmed: string): boolean {
  const [round = 0, turn = 0] = record.split(' ').map(Number);
  const [toldRound = 0, toldTurn = 0] = confirmed.split(' ').map(Number);
  return round > toldRound || (round === toldRound && turn >= toldTurn);
}
