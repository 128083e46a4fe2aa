// A recrawl by the command with an archive, killed at random moments and started again with the same arguments. It is
// judged by the server's log, the decisions at each kill, and the visits in the store at that time.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { COMMAND } from '../support/command.js';
import { readRecords, recordFaults } from '../support/warc.js';
import { page, type Route, startWeb, text } from '../support/web.js';

/** The result. Lists of faults are empty if there is no fault. */
export interface AgainReport {
  readonly kills: number;
  /** The exit codes of the first run and of the last one. */
  readonly exits: readonly (number | null)[];
  /** Requests of the recrawl for pages, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Pages that the recrawl has not visited. */
  readonly missing: readonly string[];
  /** Pages that were requested again although they had been decided at the time of a kill. */
  readonly repeated: readonly string[];
  /** Visits that a kill undid, or that changed without a request. */
  readonly lost: readonly string[];
  /** The faults of the archive. */
  readonly faults: readonly string[];
}

/** What is stored of a visit. */
interface KeptVisit {
  readonly url: string;
  readonly visits: number;
}

const WHO = ['--name', 'archivist', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
const BOUNDS = ['--interval', '0', '--pages', '100000', '--depth', '1000', '--minutes', '60'];

/** Crawls a site once, changes it, and crawls it again through this many kills. */
export async function crawlAgainThroughKills(pages: number, kills: number, random: () => number): Promise<AgainReport> {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-again-kill-'));
  let edition = 1;
  const web = await startWeb({ hosts: { '127.0.0.1': site(pages, () => edition) } });
  const run = (again: boolean) =>
    spawn(
      process.execPath,
      [
        COMMAND,
        'crawl',
        `http://127.0.0.1:${web.port}/`,
        '--out',
        out,
        '--warc',
        '--recrawl',
        ...WHO,
        ...BOUNDS,
      ].concat(again ? ['--again'] : []),
      { stdio: 'ignore' },
    );
  const ended = (child: ReturnType<typeof run>): Promise<number | null> =>
    new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const paths = () => web.log.map(({ path }) => path).slice(first);
  let first = 0;
  const decided = () => linesOf(join(out, 'decisions.jsonl'));
  try {
    const exits = [await ended(run(false))];
    first = web.log.length;
    const before = decided().length;
    edition = 2;
    const states: { readonly requestCount: number; readonly settled: ReadonlySet<string>; readonly visits: Visits }[] =
      [];
    let done = 0;
    while (done < kills) {
      const requestCount = web.log.length;
      const child = run(true);
      const exit = ended(child);
      const after = requestCount + 2 + Math.floor((random() * 0.8 * pages) / kills);
      while (child.exitCode === null && web.log.length < after) await sleep(1);
      await sleep(random() * 8);
      if (child.exitCode !== null) break;
      done += child.kill('SIGKILL') ? 1 : 0;
      await exit;
      await sleep(50);
      const settled = new Set(
        decided()
          .slice(before)
          .map(({ url }) => new URL(String(url)).pathname),
      );
      states.push({ requestCount: paths().length, settled, visits: await visitsIn(out) });
    }
    exits.push(await ended(run(true)));
    const log = paths();
    const last = await visitsIn(out);
    const isPage = (path: string): boolean => path !== '/robots.txt';
    const statuses: Record<string, number> = {};
    for (const { path, status } of web.log.slice(first))
      if (isPage(path)) statuses[String(status)] = (statuses[String(status)] ?? 0) + 1;
    return {
      kills: done,
      exits,
      statuses,
      missing: Array.from({ length: pages }, (_, at) => pathOf(at)).filter((path) => !log.includes(path)),
      repeated: states.flatMap(({ requestCount, settled }) =>
        log.slice(requestCount).filter((path) => settled.has(path)),
      ),
      lost: states.flatMap(({ requestCount, visits }) =>
        [...visits].flatMap(([path, visit]) => faultsOf(visit, last.get(path), log.slice(requestCount).includes(path))),
      ),
      faults: recordFaults(await readRecords(join(out, 'archive'))),
    };
  } finally {
    await web.close();
    await rm(out, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** The most pages of a test. */
const MAX_VISITS = 1_000;

type Visits = ReadonlyMap<string, KeptVisit>;

const pathOf = (at: number): string => (at === 0 ? '/' : `/${at}`);

/** Every third page changes, every fifth has no validators. */
function site(pages: number, edition: () => number): Record<string, Route> {
  const routes: Record<string, Route> = { '/robots.txt': text('') };
  for (let at = 0; at < pages; at += 1) {
    routes[pathOf(at)] = ({ headers }) => {
      const etag = `"${at}-${at % 3 === 0 ? edition() : 1}"`;
      const validators = at % 5 === 0 ? {} : { etag };
      if (at % 5 !== 0 && headers['if-none-match'] === etag) return { status: 304, headers: validators, delayMs: 2 };
      const links = [1, 2, 3].map((step) => pathOf((at * 3 + step) % pages));
      const body = page(`page ${at} ${etag}`, links, `<!-- ${'filler '.repeat(300)} -->`);
      return { body, headers: { 'content-type': 'text/html', ...validators }, delayMs: 2 };
    };
  }
  return routes;
}

/** The stored visits, by path. */
async function visitsIn(out: string): Promise<Visits> {
  const store = lmdbStore({ path: join(out, 'frontier') });
  await store.open({ crawl: 'crawl', create: false });
  const visits = new Map<string, KeptVisit>();
  try {
    const { items } = (await store.listRecords?.('visit/', null, MAX_VISITS)) ?? { items: [] };
    for (const { value } of items) {
      const visit = JSON.parse(Buffer.from(value).toString()) as KeptVisit;
      visits.set(new URL(visit.url).pathname, visit);
    }
  } finally {
    await store.close();
  }
  return visits;
}

/** A committed visit stays until its page is requested again, and is then extended. */
function faultsOf(then: KeptVisit, last: KeptVisit | undefined, wasAsked: boolean): string[] {
  if (last === undefined) return [`${then.url}: forgotten`];
  const isSame = JSON.stringify(then) === JSON.stringify(last);
  if (wasAsked ? last.visits > then.visits : isSame) return [];
  return [`${then.url}: ${then.visits} visits, then ${last.visits}${wasAsked ? '' : ' without a request'}`];
}

function linesOf(path: string): Record<string, unknown>[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
