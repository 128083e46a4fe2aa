// The manifest of a run, `run.json`: versions, machine, seeds and options. When the run ends, it gets the counts, the
// copies of robots.txt in use, and a hash of every output file. The manifest of a killed run has no `end`.

import { hash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { release } from 'node:os';
import { join, relative, sep } from 'node:path';
import { orIfAbsent, readJsonObject, sha256Of, sizeOf, writeJsonAtomically } from '../directory/atomic-file.js';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import type { CrawlPaths } from '../directory/crawl-paths.js';
import { readValues } from '../directory/read-lines.js';
import { MAX_MANIFEST_BYTES } from '../limits.js';
import type { ResolvedOptions } from '../options/options.js';
import { MANNERLY_VERSION } from '../own-package.js';
import { isObject } from '../parse-json.js';
import type { CrawlReport } from '../report/crawl-report.js';
import {
  MAX_EARLIER_RUNS,
  MAX_HASHED_BYTES,
  MAX_HASHED_FILES,
  MAX_MANIFEST_ROBOTS,
  MAX_MANIFEST_SEEDS,
} from './limits.js';

/** A file that a run leaves in its crawl directory. Readers can verify it. */
export interface OutputHash {
  /** Path within the crawl directory, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex digits; `null` if the file exceeds the limit for hashing. */
  readonly sha256: string | null;
}

/** How a run ended and what it left. Counts cover all runs of the crawl, like those of its report. */
export interface RunManifestEnd {
  readonly endedAtMs: number;
  readonly state: CrawlReport['state'];
  readonly bound: CrawlReport['bound'];
  readonly bounds: CrawlReport['bounds'];
  readonly counts: Pick<CrawlReport, 'pages' | 'requests' | 'items' | 'bytes' | 'queued' | 'runningMs' | 'outcomes'>;
  /** The latest `robots/<hash>.txt` of each authority. If there are too many, those read last. */
  readonly robots: readonly { readonly authority: string; readonly hash: string; readonly fetchedAtMs: number }[];
  /** The number of authorities not listed. */
  readonly moreRobots: number;
  /** Files of the crawl directory, except `frontier/` and `files/`. */
  readonly outputs: readonly OutputHash[];
}

/** `run.json`, or `run-<number>.json` for one of several processes. */
export interface RunManifest {
  readonly format: 1;
  readonly versions: { readonly mannerly: string; readonly node: string };
  readonly environment: {
    readonly platform: string;
    readonly release: string;
    readonly arch: string;
    readonly timezone: string;
    readonly locale: string;
  };
  readonly startedAtMs: number;
  /** When the crawl began, over all its runs and processes. The directories of one crawl have the same. */
  readonly crawlStartedAtMs: number;
  /** The first ten thousand; `crawl.json` has all of them. `seedCount` counts all. */
  readonly seeds: readonly string[];
  readonly seedCount: number;
  /** Every option as it was used, defaults included. Functions and other code appear only as their kind. */
  readonly options: Readonly<Record<string, unknown>>;
  /** SHA-256 of the options with all seeds, as JSON. Runs with the same options have the same hash. */
  readonly optionsHash: string;
  /** `null`: the run is not over, or was killed. */
  readonly end: RunManifestEnd | null;
  /** Earlier runs of this crawl, latest first. */
  readonly earlier: readonly {
    readonly startedAtMs: number;
    /** `null`: the run was killed. */
    readonly endedAtMs: number | null;
    readonly state: CrawlReport['state'] | null;
    readonly versions: RunManifest['versions'];
    readonly optionsHash: string;
  }[];
}

/** The manifest as it is written, with a hash that reveals changed bytes. */
type HashedManifest = RunManifest & { readonly sha256: string };

const RUN_MANIFEST_NAME = /^run(-[1-9]\d*)?\.json$/;

/** `endRunManifest` completes it. @param crawlStartedAtMs - As the store has it. @throws MannerlyError `log-failed` */
export async function beginRunManifest(
  { runPath }: Pick<CrawlDirectory, 'runPath'>,
  options: ResolvedOptions,
  startedAtMs: number,
  crawlStartedAtMs: number,
): Promise<RunManifest> {
  const stored = await readRunManifest(runPath);
  const previous = stored === 'unreadable' ? null : stored;
  const plainOptions = toPlainJson(options) as Record<string, unknown>;
  const { seeds } = options.scope;
  const { locale } = new Intl.PluralRules().resolvedOptions();
  const scope = { ...(plainOptions['scope'] as object), seeds: undefined };
  const manifest: RunManifest = {
    format: 1,
    versions: { mannerly: MANNERLY_VERSION, node: process.version },
    environment: { platform: process.platform, release: release(), arch: process.arch, timezone: timeZone(), locale },
    startedAtMs,
    crawlStartedAtMs,
    seeds: seeds.slice(0, MAX_MANIFEST_SEEDS),
    seedCount: seeds.length,
    options: { ...plainOptions, seedUrls: undefined, scope },
    optionsHash: hashOfJson(plainOptions),
    end: null,
    earlier: previous === null ? [] : [summarize(previous), ...previous.earlier].slice(0, MAX_EARLIER_RUNS),
  };
  await write(runPath, manifest);
  return manifest;
}

/** Completes the manifest of a run whose files are closed. @throws MannerlyError `log-failed` */
export async function endRunManifest(
  directory: CrawlDirectory,
  manifest: RunManifest,
  report: CrawlReport,
  isShared: boolean,
): Promise<void> {
  const { pages, requests, items, bytes, queued, runningMs, outcomes } = report;
  const { robots, more } = await latestRobots(directory.robotsPath);
  await write(directory.runPath, {
    ...manifest,
    end: {
      endedAtMs: report.endedAtMs,
      state: report.state,
      bound: report.bound,
      bounds: report.bounds,
      counts: { pages, requests, items, bytes, queued, runningMs, outcomes },
      robots,
      moreRobots: more,
      outputs: await hashOutputs(directory, isShared),
    },
  });
}

/**
 * The manifests of a crawl directory: of its last run, or of the last run of each process that shared it.
 * @throws The platform's error if the directory cannot be read. Files that are not manifests are left out.
 */
export async function readRunManifests(path: string): Promise<readonly RunManifest[]> {
  const names = (await readdir(path)).filter((name) => RUN_MANIFEST_NAME.test(name)).sort();
  const manifests = await Promise.all(names.map((name) => readRunManifest(join(path, name))));
  return manifests.filter((manifest) => manifest !== null && manifest !== 'unreadable');
}

function write(path: string, manifest: RunManifest): Promise<void> {
  return writeJsonAtomically(path, { ...manifest, sha256: hashOfJson(manifest) } satisfies HashedManifest);
}

/** `null`: there is none; `unreadable`: it is damaged. @throws The platform's error when it cannot be read. */
export async function readRunManifest(path: string): Promise<RunManifest | 'unreadable' | null> {
  const stored = await readJsonObject(path, MAX_MANIFEST_BYTES);
  if (stored === null || stored === 'unreadable') return stored;
  const { sha256, ...value } = stored as Partial<HashedManifest>;
  try {
    if (sha256 !== hashOfJson(value)) return 'unreadable';
  } catch {
    // It nests deeper than any that is written.
    return 'unreadable';
  }
  const isValid = value.format === 1 && Array.isArray(value.earlier) && (value.end === null || isEnd(value.end));
  return isValid ? (value as RunManifest) : 'unreadable';
}

/** The name of a time zone, or the path of its file. */
const TIME_ZONE = /^(?:\/.*\/zoneinfo\/)?(?:Etc\/(?=UTC$))?(UTC|(?!Etc\/)[A-Z][a-z]+\/[\w/+-]+)$/;

/** The system's time zone. Loading date formats takes 15 ms, so they are used only if the system does not name it. */
function timeZone(): string {
  const [, name] = TIME_ZONE.exec(process.env['TZ'] ?? localTimeFile()) ?? [];
  return name ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function localTimeFile(): string {
  try {
    return readlinkSync('/etc/localtime');
  } catch {
    return '';
  }
}

function hashOfJson(value: unknown): string {
  return hash('sha256', JSON.stringify(value));
}

/** @param isShared - Other processes are writing the shared files: these are left out. @throws The platform's error. */
async function hashOutputs(paths: CrawlPaths, isShared: boolean): Promise<readonly OutputHash[]> {
  const { itemsPath, rejectedPath, errorsPath, runsPath, requestsPath, decisionsPath, warningsPath } = paths;
  const logs = [rejectedPath, errorsPath, runsPath, requestsPath, decisionsPath, warningsPath, paths.datasetsPath];
  const ownFiles = [itemsPath, ...logs, paths.waczPath];
  // A copy of a robots.txt has its own hash as name.
  const sharedFiles = [join(paths.path, 'crawl.json'), paths.settingsPath, join(paths.robotsPath, 'index.jsonl')];
  const entries = await orIfAbsent([], () => readdir(paths.archivePath, { withFileTypes: true }));
  const archived = entries.filter((entry) => entry.isFile()).map(({ name }) => join(paths.archivePath, name));
  const files = [...ownFiles, ...(isShared ? [] : sharedFiles), ...archived].sort();
  const hashes: OutputHash[] = [];
  let remainingBytes = MAX_HASHED_BYTES;
  for (const file of files.slice(0, MAX_HASHED_FILES)) {
    const bytes = await sizeOf(file);
    if (bytes === null) continue;
    remainingBytes -= bytes;
    const path = relative(paths.path, file).split(sep).join('/');
    hashes.push({ path, bytes, sha256: remainingBytes < 0 ? null : await sha256Of(file) });
  }
  return hashes;
}

function isEnd(end: Partial<RunManifestEnd> | undefined): boolean {
  return (
    Array.isArray(end?.outputs) &&
    end.outputs.every(
      (each: Partial<OutputHash> | null) =>
        /^[^/\\]+(\/[^/\\]+)?$/.test(each?.path ?? '') &&
        !each?.path?.includes('..') &&
        Number.isSafeInteger(each?.bytes),
    )
  );
}

function summarize({ startedAtMs, versions, optionsHash, end }: RunManifest): RunManifest['earlier'][number] {
  return { startedAtMs, endedAtMs: end?.endedAtMs ?? null, state: end?.state ?? null, versions, optionsHash };
}

/** The copies that were read last, according to `robots/index.jsonl`. */
async function latestRobots(robotsPath: string): Promise<{ robots: RunManifestEnd['robots']; more: number }> {
  const latest = new Map<string, RunManifestEnd['robots'][number]>();
  let more = 0;
  for await (const { authority, hash, atMs } of readValues(join(robotsPath, 'index.jsonl'), isRobotsCopy)) {
    latest.delete(authority);
    latest.set(authority, { authority, hash, fetchedAtMs: atMs });
    if (latest.size <= MAX_MANIFEST_ROBOTS) continue;
    latest.delete(latest.keys().next().value as string);
    more += 1;
  }
  return { robots: [...latest.values()], more };
}

/** Whether it is a line of `robots/index.jsonl`. @throws Never */
export function isRobotsCopy(value: unknown): value is { authority: string; hash: string; atMs: number } {
  const { authority, hash, atMs } = isObject(value) ? value : {};
  return typeof authority === 'string' && typeof hash === 'string' && typeof atMs === 'number';
}

/** The options as JSON. Code is replaced with its kind. */
function toPlainJson(value: unknown): unknown {
  if (typeof value === 'function') return '(function)';
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlainJson(each)]));
}
