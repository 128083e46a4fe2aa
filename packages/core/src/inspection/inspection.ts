// Questions about a crawl that is not running, from its directory: the decision log next to the frontier, which is
// opened, read and closed again. It makes no request and takes nothing in flight; all that changes is what opening a
// store does by itself: leases of a process that is gone end, and their hosts wait out their delay from then on. While
// a run has the directory its frontier is left alone, and the logs answer.

import {
  type Clock,
  createFrontier,
  type Frontier,
  FrontierError,
  type FrontierStore,
  type ListRequest,
  type QueuedUrl,
  type QueueListing,
} from '@mannerly/frontier';
import type { WholeCrawlPaths } from '../directory/crawl-directory.js';
import { holderOf } from '../directory/directory-lock.js';
import { asMannerlyError, MannerlyError } from '../errors.js';
import type { CrawlSettings } from '../options/crawl-settings.js';
import { WaitingUrls } from '../order-seed/waiting-urls.js';
import {
  atRest,
  type Explanation,
  explain,
  explainHost,
  explainLoggedHost,
  isHostName,
  requestedForm,
} from '../report/explain.js';
import { loggedHost } from '../report/logged-host.js';
import { findDecision } from '../report/read-logs.js';
import { MAX_QUEUED_LOOKED, MAX_QUEUED_PAGE } from './limits.js';

/** A crawl directory that is open for questions. The caller closes it. */
export interface CrawlInspection {
  /** Why the frontier was not looked into, one sentence: a run has it, or there is none. `null`: it was. */
  readonly whyLogsOnly: string | null;
  /** As `crawler.explain`: of a URL, or of a host by its name. */
  explain(urlOrHost: string): Promise<Explanation>;
  /**
   * A page of what is queued.
   *
   * @throws MannerlyError `directory-in-use` while a run has the directory, `not-running` where it holds no frontier.
   */
  queued(request?: ListRequest): Promise<QueueListing>;
  /** A second call does nothing. */
  close(): Promise<void>;
}

/** What is opened. */
export interface InspectionParts {
  /** The crawl directory; `null`: none, the store alone is asked. */
  readonly paths: WholeCrawlPaths | null;
  /** The store, not opened yet; `null`: the crawl keeps its frontier elsewhere. */
  readonly store: FrontierStore | null;
  readonly settings: CrawlSettings;
  readonly clock: Clock;
}

/**
 * Opens a directory, or a store alone, for questions.
 *
 * @returns `frontier`: what is looked into, which changes nothing; `null`: the logs alone.
 * @throws MannerlyError `directory-taken`, `store-failed` for a frontier that cannot be read.
 */
export async function openInspection({
  paths,
  store,
  settings,
  clock,
}: InspectionParts): Promise<CrawlInspection & { readonly frontier: Frontier | null }> {
  const holder = paths === null ? null : await holderOf(paths.path);
  const parts = paths?.parts ?? [];
  const found = await frontierOf(holder, { paths, store, settings, clock });
  const opened = typeof found === 'string' ? null : found;
  /** What a seeded crawl has not let into its queue yet; read when it is first asked about. */
  let waiting: Promise<ReadonlySet<string>> | null = null;
  const whyLogsOnly = typeof found === 'string' ? found : null;
  return {
    frontier: opened,
    whyLogsOnly,
    async explain(urlOrHost) {
      if (isHostName(urlOrHost)) {
        if (opened !== null) {
          const host = atRest(await opened.inspectHost(urlOrHost), clock.nowMs());
          return { ...explainHost(host), bound: opened.reachedBound() };
        }
        return explainLoggedHost(urlOrHost, await loggedHost(parts, urlOrHost), whyLogsOnly);
      }
      const url = requestedForm(urlOrHost);
      const decision = await findDecision(
        parts.map(({ decisionsPath }) => decisionsPath),
        url,
      );
      if (opened === null) return { ...explain(url, decision, null), whyLogsOnly };
      const look = await opened.look(url);
      const place = await placeOf(opened, url, look.host);
      const { wait } = atRest(await opened.inspectHost(url), clock.nowMs());
      waiting ??= waitingUrls(opened);
      const isKnown = look.isKnown || place !== null || (await waiting).has(url);
      const told = explain(url, decision, { ...look, isKnown, wait }, place);
      return { ...told, bound: opened.reachedBound() };
    },
    async queued(request = {}) {
      if (opened !== null) return opened.list(request);
      throw new MannerlyError(holder === null ? 'not-running' : 'directory-in-use', whyLogsOnly ?? '', {
        hint: 'Ask when the run has ended; in its own process `crawler.queued` answers meanwhile.',
      });
    },
    close: async () => opened?.close(),
  };
}

/** The frontier, opened so that nothing can change; or why there is none to look into, one sentence. */
async function frontierOf(
  holder: string | null,
  { paths, store, settings, clock }: InspectionParts,
): Promise<Frontier | string> {
  if (holder !== null)
    return `${paths?.path} is in use by ${holder}, and the queue of a crawl that runs is left alone.`;
  if (store === null) return 'This crawl keeps its frontier in a store of its own.';
  const frontier = createFrontier({ ...settings, store: readOnly(store), clock, create: false, part: null });
  try {
    await frontier.open();
    return frontier;
  } catch (error) {
    await store.close();
    // Killed before it had queued anything, or a frontier of somebody else: its message says which.
    if (error instanceof FrontierError && error.code === 'store-mismatch') return `${error.message}.`;
    throw asMannerlyError(error, paths?.path ?? null);
  }
}

async function waitingUrls(frontier: Frontier): Promise<ReadonlySet<string>> {
  const { current, next } = await new WaitingUrls(frontier).read();
  return new Set([...current, ...next].map(({ url }) => url));
}

/** Where a URL stands in the queue of its host, as far as the look goes. */
async function placeOf(frontier: Frontier, url: string, host: string): Promise<QueuedUrl | null> {
  let cursor: string | null = null;
  for (let looked = 0; looked < MAX_QUEUED_LOOKED; looked += MAX_QUEUED_PAGE) {
    const page: QueueListing = await frontier.list({ host, cursor, limit: MAX_QUEUED_PAGE });
    const found = page.items.find(({ record }) => record.url === url);
    if (found !== undefined) return found;
    cursor = page.cursor;
    if (cursor === null) return null;
  }
  return null;
}

/** What would be written is not; what would take or change anything is a fault of ours, and told. */
export function readOnly(store: FrontierStore): FrontierStore {
  const refuse = async (): Promise<never> => {
    throw new MannerlyError('store-failed', 'a frontier that is only looked into was about to change');
  };
  return {
    capabilities: store.capabilities,
    open: (request) => store.open(request),
    readRecord: (key) => store.readRecord(key),
    nextDueInMs: () => store.nextDueInMs(),
    stats: () => store.stats(),
    scan: (cursor, limit, host) => store.scan(cursor, limit, host),
    ...(store.readHost === undefined ? {} : { readHost: (host) => store.readHost?.(host) ?? Promise.resolve(null) }),
    writeRecord: async () => undefined,
    add: refuse,
    lease: refuse,
    wake: refuse,
    commit: refuse,
    close: () => store.close(),
  };
}
