// The crawl directory of a run, opened with its logs. If a reset is requested, it is emptied first.

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { resolvePoliteness } from '@mannerly/frontier/internal';
import { sizeOf } from '../directory/atomic-file.js';
import { deleteIfReset, isFree, noCrawlError, openCrawlDirectory, RESET_NAME } from '../directory/crawl-directory.js';
import { MANIFEST_NAME, readAnyManifest } from '../directory/crawl-manifest.js';
import { partsOf } from '../directory/crawl-paths.js';
import { lockDirectory, refuseShared } from '../directory/directory-lock.js';
import { MannerlyError } from '../errors.js';
import { PendingDecisions } from '../journal/pending-decisions.js';
import type { ResolvedOptions } from '../options/options.js';
import { MANNERLY_VERSION } from '../own-package.js';
import type { RunDeclaration } from '../report/decision.js';
import { intervalsEndAtMs } from '../report/from-logs.js';
import { RunLogs } from '../report/run-logs.js';
import { damagedRequestLogs } from './directory-damage.js';
import { ReadingLog } from './reading-log.js';
import type { RunSetup } from './run-setup.js';

/**
 * `directory`: `null` if the crawl has none. `needsFrontier`: an earlier run sent requests from the frontier in the
 * directory or on the server, and without it all would be sent again. `resetWaitUntilMs`: after a reset, the crawl's
 * hosts get no request before this time, epoch milliseconds.
 */
export type RunDirectory = Awaited<ReturnType<typeof openRunDirectory>>;

/** Opens the crawl directory and its logs, or logs in memory. The caller closes all of them. @throws MannerlyError */
export async function openRunDirectory(setup: RunSetup, startedAtMs: number) {
  const { options, out, reset, isShared, isOwnStore, store, damage = [] } = setup;
  const damaged = damagedRequestLogs(damage);
  const declaration = { ...declarationOf(options, startedAtMs), ...(damaged.length === 0 ? {} : { damaged }) };
  const { name, tokens } = options.identity;
  const resetWaitUntilMs =
    reset && out !== null ? await resetCrawlDirectory(out, name, resolvePoliteness(options.spacing.politeness)) : 0;
  const crawl = { name, tokens, seeds: options.scope.seeds };
  const directory = out === null ? null : await openCrawlDirectory(out, crawl, startedAtMs, isShared);
  let logs: RunLogs | null = null;
  try {
    const parts = out === null ? [] : await partsOf(out);
    const logSizes = await Promise.all(parts.map(({ requestsPath }) => sizeOf(requestsPath)));
    const needsFrontier = (isOwnStore || store.capabilities.shared) && logSizes.some((bytes) => bytes);
    logs = new RunLogs(directory, declaration, options.decisionLog);
    const readings = directory === null ? null : await ReadingLog.open(directory);
    const pending = await PendingDecisions.open(directory);
    return { startedAtMs, resetWaitUntilMs, directory, needsFrontier, logs, readings, pending };
  } catch (error) {
    await logs?.close();
    await directory?.release();
    throw error;
  }
}

/** The promises of the run, for an audit of its log. */
function declarationOf(options: ResolvedOptions, startedAtMs: number): RunDeclaration {
  const { identity, robots, spacing, network, scope, bounds } = options;
  const { pages, depth, minutes } = bounds;
  const { name, factor, minMs, maxMs, rateReplacesRule, perIp } = resolvePoliteness(spacing.politeness);
  return {
    startedAtMs,
    versions: { mannerly: MANNERLY_VERSION, node: process.version },
    name: identity.name,
    userAgent: identity.userAgent,
    tokens: identity.tokens,
    hostKeyBy: spacing.hostKeyBy,
    robots,
    pace: { name, factor, minMs, maxMs, rateReplacesRule, perIp },
    concurrency: network.concurrency,
    ...(scope.seeds.length === 0 ? {} : { bounds: { within: scope.within, pages, depth, minutes } }),
  };
}

/**
 * Removes a crawl from its directory: manifest, frontier, items, logs, reports, copies of robots.txt, and nothing else.
 * Until the directory is next opened, it has the mark of a reset; a reset that was killed is finished then.
 * @param name - The name of the crawl. A crawl with another name is not removed.
 * @returns When every host of the removed crawl has had its pause, epoch milliseconds; 0 if nothing was removed.
 * @throws MannerlyError `directory-taken` if the directory holds something else; `directory-in-use` during a run.
 */
export async function resetCrawlDirectory(
  path: string,
  name: string,
  politeness: { readonly minMs: number; readonly factor: number },
): Promise<number> {
  const file = join(path, MANIFEST_NAME);
  const manifest = await readAnyManifest(file);
  if (manifest === null) {
    if (await isFree(path)) return 0;
    throw noCrawlError(path, 'Nothing was removed. A reset is for the directory of a crawl.');
  }
  if (manifest === 'unreadable' || manifest.name !== name) {
    const holds = manifest === 'unreadable' ? 'an unreadable crawl' : `the crawl ${JSON.stringify(manifest.name)}`;
    throw new MannerlyError('directory-taken', `${path} holds ${holds}, not ${JSON.stringify(name)}`, {
      hint: 'Nothing was removed. Name another directory, or remove this one yourself.',
    });
  }
  const lock = await lockDirectory(path);
  try {
    await refuseShared(path);
    const logs = (await partsOf(path)).map(({ requestsPath }) => intervalsEndAtMs(requestsPath, politeness));
    const waitUntilMs = Math.max(...(await Promise.all(logs)));
    await rename(file, join(path, RESET_NAME));
    await deleteIfReset(path);
    return waitUntilMs;
  } finally {
    await lock.release();
  }
}
