// Questions about a crawl that is not running, from its directory: the decision log and the frontier, which is opened,
// read and closed again. It makes no request. Only the changes of opening a store happen: leases of an ended process
// end, and their hosts wait out their delay from then on. While a run has the directory, its frontier is not opened and
// the logs answer.

import {
  type Clock,
  createFrontier,
  type Frontier,
  FrontierError,
  type FrontierStore,
  type HostInspection,
  type ListRequest,
  type QueuedUrl,
  type QueueListing,
} from '@mannerly/frontier';
import { aroundStoreVerbs } from '@mannerly/frontier/internal';
import type { WholeCrawlPaths } from '../directory/crawl-directory.js';
import { holderOf } from '../directory/directory-lock.js';
import { MannerlyError, textOf } from '../errors.js';
import { type CrawlSettings, frontierSettings } from '../options/crawl-settings.js';
import type { RecrawlOptions } from '../options/crawler-options.js';
import { resolveRecrawl } from '../options/options.js';
import { WaitingUrls } from '../order-seed/waiting-urls.js';
import { inspectVisit, planRecrawl, type RecrawlPlan } from '../recrawl/recrawl-plan.js';
import {
  type Explanation,
  explain,
  explainHost,
  explainLoggedHost,
  inspectStoppedHost,
  isHostName,
  requestedForm,
  withError,
  withHosts,
} from '../report/explain.js';
import { type LoggedHost, loggedHost } from '../report/from-logs.js';
import { findDecision, findError, findOtherSpelling } from '../report/read-logs.js';
import { countFromRecrawl } from '../run/recrawl-run.js';
import { asMannerlyError } from '../store-error.js';
import { MAX_LISTED_URLS, MAX_SEARCHED_URLS } from './limits.js';

/** A crawl directory that is open for questions. The caller closes it. */
export interface CrawlInspection {
  /** Why the frontier was not read, one sentence: a run has it, or there is none. `null` if it was read. */
  readonly logsOnlyReason: string | null;
  /** As `crawler.explain`: for a URL, or for a host by its name. */
  explain(urlOrHost: string): Promise<Explanation>;
  /**
   * A listing of the queue. @throws MannerlyError `directory-in-use` while a run has the directory, `not-running` if it
   * has no frontier, `store-failed` if it cannot be written to.
   */
  queued(request?: ListRequest): Promise<QueueListing>;
  /**
   * What the next run with `again` would do, from the recorded visits. It makes no request.
   * @param changes - Differences from the last run. @default nothing
   * @throws MannerlyError `option-invalid`; `directory-in-use` or `not-running` as `queued`.
   */
  planAgain(changes?: PlanAgainChanges): Promise<RecrawlPlan>;
  close(): Promise<void>;
}

/** How a recrawl would differ from the last run; `null`: no such bound. */
export interface PlanAgainChanges {
  readonly bounds?: Readonly<Partial<Record<'pages' | 'pagesPerHost' | 'minutes', number | null>>>;
  readonly recrawl?: RecrawlOptions;
}

interface InspectionParts {
  /** The crawl directory; `null` if only the store is inspected. */
  readonly paths: WholeCrawlPaths | null;
  /** The store, not opened yet; `null` if the crawl keeps its frontier elsewhere. */
  readonly store: FrontierStore | null;
  readonly settings: CrawlSettings;
  readonly clock: Clock;
  /** The key of the owner's only record that may be written. @default none */
  readonly writableKey?: string;
}

/** Opens a directory, or only a store. @throws MannerlyError `directory-taken`, `store-failed` */
export async function openInspection(
  inspected: InspectionParts,
): Promise<CrawlInspection & { readonly frontier: Frontier | null }> {
  const { paths, clock, settings } = inspected;
  const { frontier, unread } = await openFrontier(inspected);
  const logsOnlyReason = unread?.reason ?? null;
  const parts = paths?.parts ?? [];
  const decisionsPaths = parts.map(({ decisionsPath }) => decisionsPath);
  const errorsPaths = parts.map(({ errorsPath }) => errorsPath);
  /** The URLs that a crawl with an order seed has not queued yet; read at the first question. */
  let waiting: Promise<ReadonlySet<string>> | null = null;
  return {
    frontier,
    logsOnlyReason,
    explain: async (urlOrHost) => withHosts(await withOtherSpelling(await explainTarget(urlOrHost)), settings),
    async queued(request = {}) {
      return requireFrontier().list(request);
    },
    async planAgain({ bounds, recrawl } = {}) {
      const { pages = null, pagesPerHost = null, minutes = null } = { ...settings.bounds, ...bounds };
      const options = resolveRecrawl({ ...settings.recrawl, ...recrawl });
      return planRecrawl(requireFrontier(), { options, pages, pagesPerHost, minutes, nowMs: clock.nowMs() });
    },
    close: async () => frontier?.close(),
  };

  async function explainTarget(urlOrHost: string): Promise<Explanation> {
    if (isHostName(urlOrHost)) {
      if (frontier === null) return explainLoggedHost(urlOrHost, await loggedHost(parts, urlOrHost), logsOnlyReason);
      const state = await frontier.inspectHost(urlOrHost);
      const logged = await loggedHost(parts, state.host);
      const host = inspectStoppedHost(
        { ...state, robots: await allRobotsStates(frontier, state, logged) },
        clock.nowMs(),
      );
      const ofLogs = parts.length === 0 ? {} : { logged };
      return { ...explainHost(host), ...ofLogs, bound: frontier.reachedBound() };
    }
    const url = requestedForm(urlOrHost);
    const decision = await findDecision(decisionsPaths, url);
    const error = await findError(errorsPaths, url);
    if (frontier === null) return withError({ ...explain(url, decision, null), logsOnlyReason }, error);
    const state = await frontier.inspectUrl(url);
    const place = await findQueued(frontier, url, state.host);
    const { wait } = inspectStoppedHost(await frontier.inspectHost(url), clock.nowMs());
    waiting ??= readWaitingUrls(frontier);
    const isKnown = state.isKnown || place !== null || (await waiting).has(url);
    const bound = frontier.reachedBound();
    const visit = await inspectVisit(frontier, url, resolveRecrawl(settings.recrawl ?? {}), clock.nowMs());
    const seen = visit === null ? {} : { visit };
    return withError({ ...explain(url, decision, { ...state, isKnown, wait }, place), bound, ...seen }, error);
  }

  async function withOtherSpelling(explanation: Explanation): Promise<Explanation> {
    const { url, decision, place } = explanation;
    if (decision !== null || place != null || isHostName(url)) return explanation;
    const otherSpelling = await findOtherSpelling(decisionsPaths, url, frontierSettings(settings).canonicalRules);
    return otherSpelling === null ? explanation : { ...explanation, otherSpelling };
  }

  function requireFrontier(): Frontier {
    if (frontier === null) throw unread.error;
    return frontier;
  }
}

const STORE_HINT = 'Of a crawl with another store, name the store.';
const LATER_HINT = 'Ask when the run has ended; in its own process `crawler.queued` answers meanwhile.';

/** A frontier; or why it is not read, one sentence, and the error of a question that needs it. */
type OpenedFrontier =
  | { readonly frontier: Frontier; readonly unread: null }
  | { readonly frontier: null; readonly unread: { readonly reason: string; readonly error: unknown } };

function unreadFrontier(code: 'directory-in-use' | 'not-running', reason: string, hint: string): OpenedFrontier {
  return { frontier: null, unread: { reason, error: new MannerlyError(code, reason, { hint }) } };
}

/** Opening a store writes into its folder, although its content does not change. */
const READ_ONLY = /\b(?:EACCES|EPERM|EROFS)\b|Permission denied|Read-only file system/;

/** Opens the frontier so that nothing can change. */
async function openFrontier({ paths, store, settings, clock, writableKey }: InspectionParts): Promise<OpenedFrontier> {
  const path = paths?.path;
  const holder = path === undefined ? null : await holderOf(path);
  if (holder !== null) {
    const reason = `${path} is in use by ${holder}, and the queue of a running crawl is not opened.`;
    return unreadFrontier('directory-in-use', reason, LATER_HINT);
  }
  if (store === null)
    return unreadFrontier('not-running', 'This crawl keeps its frontier in a store of its own.', STORE_HINT);
  const frontier = createFrontier({
    ...frontierSettings(settings),
    store: createReadOnlyStore(store, writableKey === undefined ? undefined : `owner/${writableKey}`),
    clock,
    create: false,
    part: null,
  });
  try {
    await frontier.open();
    await countFromRecrawl(frontier, false, clock.nowMs());
    return { frontier, unread: null };
  } catch (error) {
    await store.close();
    // A crawl that was killed before it queued anything, or a frontier of another crawl: the message says which.
    if (error instanceof FrontierError && error.code === 'store-mismatch')
      return unreadFrontier('not-running', `${error.message}.`, [error.hint ?? [], STORE_HINT].flat().join(' '));
    const known = asMannerlyError(error, path ?? null);
    if (path === undefined || !READ_ONLY.test(textOf(error))) throw known;
    const reason = `${path} cannot be written to, and its queue can be opened only where it can.`;
    return { frontier: null, unread: { reason, error: known } };
  }
}

/** Finds the robots.txt of an unusual port by the URLs queued there; if there are none, by the request log. */
async function allRobotsStates(
  frontier: Frontier,
  inspected: HostInspection,
  logged: LoggedHost,
): Promise<HostInspection['robots']> {
  const robots = new Map(inspected.robots.map((each) => [each.authority, each]));
  for (const { authority } of logged.robots) {
    if (robots.has(authority)) continue;
    for (const each of (await frontier.inspectHost(`${authority}/`)).robots) robots.set(each.authority, each);
  }
  return [...robots.values()];
}

async function readWaitingUrls(frontier: Frontier): Promise<ReadonlySet<string>> {
  const { current, next } = await new WaitingUrls(frontier).read();
  return new Set([...current, ...next].map(({ url }) => url));
}

/** The place of a URL in the queue of its host, within `MAX_SEARCHED_URLS`. */
async function findQueued(frontier: Frontier, url: string, host: string): Promise<QueuedUrl | null> {
  let cursor: string | null = null;
  for (let searched = 0; searched < MAX_SEARCHED_URLS; searched += MAX_LISTED_URLS) {
    const listing: QueueListing = await frontier.list({ host, cursor, limit: MAX_LISTED_URLS });
    const found = listing.items.find(({ record }) => record.url === url);
    cursor = listing.cursor;
    if (found !== undefined || cursor === null) return found ?? null;
  }
  return null;
}

/** The verbs that answer questions. Every other one may take or change work. */
const READING_VERB =
  /^(?:open|readRecord|listRecords|nextDueInMs|overdueMs|readHost|isKnown|stats|scan|clockMs|listKnown|listHosts|close)$/;

/** A read-only store, except for the record of one key. A call that would take or change work is a bug: it rejects. */
export function createReadOnlyStore(store: FrontierStore, writableKey?: string): FrontierStore {
  return aroundStoreVerbs(store, async (call, verb, [key]) => {
    if (READING_VERB.test(verb)) return call();
    if (verb === 'writeRecord') return key === writableKey ? call() : undefined;
    throw new MannerlyError('store-failed', 'a frontier that is only inspected was about to change');
  });
}
