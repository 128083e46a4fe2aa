// One run of a crawl: its parts, built in dependency order, and the answers that it gives meanwhile. `perform-run.ts`
// has its course from start to end. The parts are in one file because each is made from those before it.

import type { AddAnswer, Frontier, ListRequest, NewUrl, QueueListing } from '@mannerly/frontier';
import { resolvePoliteness } from '@mannerly/frontier/internal';
import { wantsTdmRep } from '@mannerly/robots/page';
import PQueue from 'p-queue';
import { type Admit, createAdmit, type Refusal } from '../admit/admit.js';
import { createHostRules, Scope } from '../admit/scope.js';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import { createHooks, type Hooks } from '../crawl/hooks.js';
import { PageRequests } from '../crawl/page-requests.js';
import { PageScheduler } from '../crawl/page-scheduler.js';
import { createRendering, type RenderPage } from '../crawl/rendering.js';
import type { FetchRequisites } from '../crawl/requisites.js';
import { createSignIn, type SignIn } from '../crawl/sign-in.js';
import { SiteKnowledge } from '../crawl/site-knowledge.js';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { Companions } from '../discovery/companions.js';
import { Sitemaps } from '../discovery/sitemaps.js';
import { MannerlyError } from '../errors.js';
import { createAddressGuard } from '../fetch/address-guard.js';
import { createJarFactory, type JarFactory } from '../fetch/cookies.js';
import { Egress } from '../fetch/egress.js';
import { createExtraHeaders, negotiationKey } from '../fetch/egress-request.js';
import { RequestLimiter } from '../fetch/request-limiter.js';
import { HandlerPool } from '../handle/handler-pool.js';
import { ItemStages } from '../handle/item-stages.js';
import { Journal } from '../journal/journal.js';
import type { PendingDecisions } from '../journal/pending-decisions.js';
import { applyLicense, Licenses } from '../licensing/licenses.js';
import { LicenseTokens } from '../licensing/licensing-options.js';
import { MAX_REPORTED_WAITS } from '../limits.js';
import { crawlSettings } from '../options/crawl-settings.js';
import { DEFAULT_RECRAWL, type ResolvedOptions } from '../options/options.js';
import { ItemWriter } from '../output/items.js';
import { jsonlSink } from '../output/jsonl.js';
import { datasetReader } from '../page/datasets.js';
import { PageReader } from '../page/read-page.js';
import type { Recrawl } from '../recrawl/recrawl.js';
import { replayedWork } from '../replay/replayed-work.js';
import type { CrawlProgress, CrawlReport } from '../report/crawl-report.js';
import {
  type Explanation,
  explain,
  explainHost,
  isHostName,
  requestedForm,
  withError,
  withHosts,
} from '../report/explain.js';
import { OutcomeCounts } from '../report/outcome-counts.js';
import { PolitenessLedger } from '../report/politeness.js';
import type { RunLogs } from '../report/run-logs.js';
import { CrawlSigning } from '../signatures/crawl-signing.js';
import { Wakeup } from '../wakeup.js';
import { type ActivityLists, type ActivityOptions, activityOf, type CrawlPhase } from './activity.js';
import { type AddedUrl, addedUrls } from './added-urls.js';
import type { CrawlOrder } from './crawl-orders.js';
import { CrawlTotals } from './crawl-totals.js';
import { MAX_HANDLED_PAGES } from './limits.js';
import type { ReadingLog } from './reading-log.js';
import {
  type FailureFilter,
  findFailures,
  type RetryAnswer,
  retryCandidate,
  summarizeRetry,
} from './retry-failures.js';
import { openRunDirectory, type RunDirectory } from './run-directory.js';
import { createRunFrontier } from './run-frontier.js';
import { checkSetup, type RunSetup } from './run-setup.js';
import type { RunStop } from './run-stop.js';
import { StallWatch } from './stall-watch.js';

export class Run {
  /** Epoch milliseconds by the crawl's clock. */
  readonly nowMs: () => number;
  readonly setup: RunSetup;
  readonly options: ResolvedOptions;
  readonly stop: RunStop;
  readonly startedAtMs: number;
  /** `null`: the crawl has no directory. */
  readonly directory: CrawlDirectory | null;
  readonly logs: RunLogs;
  /** `null`: the crawl has no directory. */
  readonly readings: ReadingLog | null;
  readonly pending: PendingDecisions;
  /** After a reset, hosts of the removed crawl get no request before this time, epoch milliseconds. */
  readonly resetWaitUntilMs: number;
  /** Stops what `performRun` started next to the work. All are called before anything is closed. */
  readonly cleanups: (() => void)[] = [];
  readonly wakeup: Wakeup;
  readonly ledger: PolitenessLedger;
  readonly counts: OutcomeCounts;
  readonly journal: Journal;
  /** `null`: there are no hooks. */
  readonly hooks: Hooks | null;
  readonly scope: Scope;
  readonly knowledge: SiteKnowledge;
  readonly sitemaps: Sitemaps;
  readonly companions: Companions;
  /** Whether a purpose of the crawl makes it read tdmrep.json. */
  readonly readsTdmRep: boolean;
  readonly totals: CrawlTotals;
  readonly frontier: Frontier;
  readonly admit: Admit;
  readonly reader: PageReader;
  /** Whether the lease of a page ended before its commit: the page is fetched again, perhaps by this run. */
  hasLostPages = false;
  /** Set by `performRun`; `null`: exchanges are not archived. */
  archive: CrawlArchive | null = null;
  /** Set with the archive; `null`: the requisites of pages are not fetched. */
  fetchRequisites: FetchRequisites | null = null;
  readonly egress: Egress;
  /** Requests for pages, robots.txt and companion files. */
  readonly fetches: PQueue;
  /** Requests of handlers and of pages in a browser. */
  readonly pageRequests: PageRequests;
  readonly licenses: Licenses;
  /** `null`: no login form is sent. */
  readonly signIn: SignIn | null;
  readonly scheduler: PageScheduler;
  readonly handlerPool: HandlerPool;
  readonly stages: ItemStages;
  /** `null`: the fetcher opens no pages in a browser. */
  readonly render: RenderPage | null;
  readonly items: ItemWriter;
  readonly stalls = new StallWatch();
  /** `null`: no visits are kept. */
  readonly recrawl: Recrawl | null;
  /** Set by `performRun`; `null`: the run is not a recrawl. */
  pageChoice: {
    /** The latest time at which known pages are chosen, epoch milliseconds; `null`: they have been chosen. */
    readonly untilMs: () => number | null;
    /** Chooses them if it is time. @param isIdle - Nothing else is left to do. @returns Whether it chose them now. */
    readonly choose: (isIdle: boolean) => Promise<boolean>;
  } | null = null;
  /** Takes what is new in the file of `mannerly add`. Set by `performRun`; `null`: the run does not. */
  takeAdded: (() => Promise<void>) | null = null;
  /** Whether URLs can still be added, because the loop has not ended. */
  takesUrls = true;
  /** The hosts that waited when the run ended; `null`: the run has not ended. */
  #lastWaits: CrawlReport['waiting'] | null = null;

  /** Opens the directory and logs, and builds the run. `performRun` opens the rest. @throws MannerlyError */
  static async open(setup: RunSetup): Promise<Run> {
    const { options, clock } = setup;
    // Checked first, so that wrong options leave no directory and no open log behind.
    checkSetup(setup);
    const { signIn, network } = options;
    setup.handlers.checkFor({ hasBrowser: setup.fetcher.renderer !== undefined, hasForm: signIn?.form != null });
    const cookies = await createJarFactory(network.cookies, signIn?.form == null ? null : signIn.origin);
    // Loaded only if needed: a crawl that keeps no visits starts sooner without it.
    const recrawlModule = options.recrawl !== null || setup.again ? await import('../recrawl/recrawl.js') : null;
    const opened = await openRunDirectory(setup, clock.nowMs());
    try {
      return new Run(setup, opened, cookies, recrawlModule);
    } catch (error) {
      await opened.logs.close();
      await opened.directory?.release();
      throw error;
    }
  }

  private constructor(
    setup: RunSetup,
    opened: RunDirectory,
    cookies: JarFactory | null,
    recrawlModule: typeof import('../recrawl/recrawl.js') | null,
  ) {
    const { directory, logs, pending } = opened;
    const { options, handlers, emitter, stop, fetcher, sinks, clock } = setup;
    const { identity, bounds, network, exclusion } = options;
    this.setup = setup;
    this.options = options;
    this.stop = stop;
    this.startedAtMs = opened.startedAtMs;
    this.resetWaitUntilMs = opened.resetWaitUntilMs;
    this.directory = directory;
    this.logs = logs;
    this.readings = opened.readings;
    this.pending = pending;

    this.nowMs = clock.nowMs.bind(clock);
    const { nowMs } = this;
    this.wakeup = new Wakeup(clock);
    stop.onRequest = () => {
      this.wakeup.wake();
      this.readings?.stopping();
    };
    this.ledger = new PolitenessLedger();
    this.counts = new OutcomeCounts();
    this.totals = new CrawlTotals(clock, this.counts, this.ledger);
    this.journal = new Journal(emitter, [this.ledger, this.totals, logs], pending, nowMs);
    const { journal } = this;
    const warn = journal.warning.bind(journal);
    this.hooks = options.hooks === null ? null : createHooks(options.hooks, clock, stop, journal);
    for (const listener of [setup.log, this.hooks, setup.survey]) if (listener != null) journal.addListener(listener);

    this.scope = new Scope(options.scope, createHostRules(options.hosts));
    const { scope } = this;
    scope.onError = (url, error) => journal.hookError('scope.allows', url, error);
    this.knowledge = new SiteKnowledge(this);
    this.sitemaps = new Sitemaps(options);
    const found = journal.dataset.bind(journal);
    const datasets = options.dataTxt ? datasetReader(identity.tokens, options.enqueueDatasets, found) : null;
    this.readsTdmRep = wantsTdmRep(exclusion.page);
    this.companions = new Companions(this, { tdm: this.readsTdmRep, datasets });

    this.frontier = createRunFrontier(this, opened.needsFrontier);
    const { frontier } = this;
    const fieldsOf = createExtraHeaders(network.headers, options.hosts);
    const sentAs = (url: string): string => {
      const { hostname, origin } = new URL(url);
      return negotiationKey(identity, fieldsOf(hostname), origin === options.signIn?.origin);
    };
    this.recrawl =
      recrawlModule === null ? null : new recrawlModule.Recrawl(this, options.recrawl ?? DEFAULT_RECRAWL, sentAs);
    this.admit = createAdmit(scope, bounds, this.knowledge.trapDetector, frontier);

    this.reader = new PageReader({
      tdmFor: this.readsTdmRep ? this.companions.tdmFor.bind(this.companions) : null,
      joinsHeaders: !fetcher.capabilities.rawHeaders,
      tokens: identity.tokens,
      options: exclusion,
      nowMs,
      onSlow: (url, tookMs) => warn('page-slow', url, `${url} took ${Math.round(tookMs)} ms to read`),
    });
    const tokens = new LicenseTokens(options.licensing.tokens);
    const stopFor = stop.requestFor.bind(stop);
    this.egress = new Egress({
      ...(tokens.origins.length === 0 ? {} : { tokens }),
      signIn: options.signIn,
      fetcher,
      frontier,
      identity,
      signing: new CrawlSigning(options.signature ?? null, {
        report: (warning) => journal.frontierEvent(warning),
        stop: stopFor,
      }),
      egressRanges: options.egress,
      stop: stopFor,
      guard: createAddressGuard({ ...network, nowMs }),
      limiter: new RequestLimiter(resolvePoliteness(options.spacing.politeness).crawlIntervalMs),
      network: { ...network, cookies },
      extraHeadersOf: fieldsOf,
      nowMs,
      journal,
      onExchange: options.archive === null ? undefined : (sent, outcome) => this.archive?.addExchange(sent, outcome),
    });
    this.fetches = new PQueue({ concurrency: network.concurrency });
    this.pageRequests = new PageRequests(this);
    this.licenses = new Licenses({
      store: frontier,
      options: options.licensing,
      purposes: exclusion.page.purposes,
      tokens,
      fetch: (url, given) => this.pageRequests.request('license', url, given, stop.signal),
      onLoaded: () => this.wakeup.wake(),
      retries: options.retries,
      nowMs,
      report: warn,
    });
    const { signIn } = options;
    this.signIn = signIn?.form == null ? null : createSignIn(this, signIn, signIn.form, handlers.login);
    this.scheduler = new PageScheduler(nowMs, network.concurrency);
    this.stages = new ItemStages(options.items);
    this.handlerPool = new HandlerPool({
      handlers,
      concurrency: MAX_HANDLED_PAGES,
      handlerTimeoutMs: options.handlerTimeoutMs,
      clock,
      signal: stop.signal,
      isArchived: options.archive !== null,
      ...(options.items.length === 0 ? {} : { stages: this.stages }),
      tools: {
        filesPath: directory?.filesPath ?? null,
        fetch: (page, ...args) => this.pageRequests.request('handler', ...args, page),
        read: async (answer) => {
          const work = this.pageRequests.workOf(answer) ?? replayedWork(answer.url, null);
          const file = await this.reader.read(work, answer);
          applyLicense(file, await this.licenses.forPage(work, file, answer.body));
          if (file.truncated === 'limit') setup.log?.truncated(file);
          return file;
        },
      },
      onLate: (url, error) => journal.handlerError(url, error),
      onReturned: (url) => setup.log?.returned(url),
    });
    this.render = fetcher.renderer === undefined ? null : createRendering(this, fetcher.renderer);
    const allSinks = directory === null ? sinks : [jsonlSink({ path: directory.itemsPath }), ...sinks];
    this.items = new ItemWriter(allSinks, {
      onFailure: (thrown, url) => journal.codeError(thrown, { code: 'sink-failed', url }),
      stop: { signal: stop.signal, clock },
    });
  }

  /** Takes no more work until `resume`. Requests in flight are completed, and the run does not end by itself. */
  pause(): void {
    this.frontier.pause();
  }

  resume(): void {
    this.frontier.resume();
    this.wakeup.wake();
  }

  applyOrder(order: CrawlOrder): void {
    this.setup.log?.ordered(order);
    if (order === 'pause') this.pause();
    else if (order === 'resume') this.resume();
    // A second `stop.request` would abort what is in flight.
    else if (!this.stop.isRequested) this.stop.request();
  }

  progress(): CrawlProgress {
    const { counts, totals, ledger } = this;
    const problem = this.setup.storeProblem();
    const { queued, inFlight, pages, hosts, runningMs } = this.frontier.counts();
    const waits = this.frontier.waits(MAX_REPORTED_WAITS);
    return {
      pages,
      requests: totals.counts.requests,
      inFlight,
      hosts: Math.max(hosts, ledger.hostCount()),
      queued,
      excluded: counts.count('excluded'),
      dropped: counts.count('dropped'),
      failed: counts.count('failed'),
      items: totals.counts.items,
      bytes: totals.counts.bytes,
      runningMs,
      waitingFor: inFlight > 0 ? null : (waits[0] ?? null),
      waitingHosts: waits.length,
      longestStallMs: this.stalls.longestMs(),
      ...(problem === null ? {} : { holding: problem }),
    };
  }

  activity(options: ActivityOptions): ActivityLists & { readonly phase: CrawlPhase } {
    const isOver = this.#lastWaits !== null;
    const phase = this.stop.isRequested ? 'stopping' : this.frontier.isPaused() ? 'paused' : 'running';
    return { phase: isOver ? 'over' : phase, ...activityOf(this, this.#lastWaits, options) };
  }

  /** Why a URL was, was not or is not yet fetched; for a host name, its queue. */
  async explain(urlOrHost: string): Promise<Explanation> {
    const isOver = this.#lastWaits !== null;
    const settings = crawlSettings(this.options);
    if (!isOver && isHostName(urlOrHost))
      return withHosts(explainHost(await this.frontier.inspectHost(urlOrHost)), settings);
    const url = requestedForm(urlOrHost);
    const explained = explain(url, await this.logs.find(url), isOver ? null : await this.frontier.inspectUrl(url));
    const kept = this.options.recrawl ?? DEFAULT_RECRAWL;
    const { inspectVisit } = await import('../recrawl/recrawl-plan.js');
    const visit = isOver || this.recrawl === null ? null : await inspectVisit(this.frontier, url, kept, this.nowMs());
    const explanation = withHosts({ ...explained, ...(visit === null ? {} : { visit }) }, settings);
    return withError(explanation, await this.logs.findError(url));
  }

  /** Lists what is queued. @throws MannerlyError `not-running` */
  async queued(request: ListRequest): Promise<QueueListing> {
    this.#assertRunning();
    return this.frontier.list(request);
  }

  /** Queues failures for one more visit. @throws MannerlyError `not-running` */
  async retry(filter: FailureFilter): Promise<RetryAnswer> {
    this.#assertRunning();
    const { failures, more } = await findFailures(this.logs.decisions(), filter);
    const candidates = failures.flatMap((failure) => retryCandidate(failure) ?? []);
    const { admitted, answers } = await this.offer({ candidates });
    // A URL that is queued again gets another decision, and is counted with that one.
    const queued = new Set(admitted.flatMap(({ url }, at) => (answers[at]?.kind === 'new' ? [url] : [])));
    for (const failure of failures) if (queued.has(failure.url)) this.counts.uncount(failure);
    this.wakeup.wake();
    return summarizeRetry(candidates.length, answers, more);
  }

  /** Makes a parked host due again. Does nothing after the run. */
  async unpark(host: string): Promise<void> {
    if (this.#lastWaits !== null) return;
    await this.frontier.unpark(host);
    this.wakeup.wake();
  }

  /**
   * Offers URLs that do not come from a page: seeds, URLs named by robots.txt and sitemaps, retries. Admitted ones go
   * to the frontier, the others to the journal.
   * @param offered - `refused`: URLs that were already refused.
   * @returns The admitted URLs, the frontier's answers to them, and the refused ones.
   */
  async offer(offered: { readonly candidates: readonly NewUrl[]; readonly refused?: readonly Refusal[] }): Promise<{
    readonly admitted: readonly NewUrl[];
    readonly refused: readonly Refusal[];
    readonly answers: readonly AddAnswer[];
  }> {
    const { admitted, refused } = this.admit(offered.candidates);
    this.journal.admitted(admitted);
    for (const refusal of offered.refused ?? []) this.journal.refusal(refusal);
    for (const refusal of refused) this.journal.refusal(refusal);
    const answers = admitted.length === 0 ? [] : await this.frontier.add(admitted);
    for (const [at, answer] of answers.entries()) {
      const url = admitted[at] as NewUrl;
      this.journal.added(url, answer);
      // A new sitemap: a recrawl chooses its pages after reading it.
      if (answer.kind === 'new' && url.via === 'companion' && this.pageChoice !== null)
        this.recrawl?.sitemaps.addPending(url.url);
    }
    return { admitted, refused, answers };
  }

  /** Offers URLs that the program adds. @throws MannerlyError `not-running` */
  async add(candidates: readonly NewUrl[]): Promise<AddedUrl[]> {
    if (!this.takesUrls) throw notRunning();
    const { refused, answers } = await this.offer({ candidates });
    this.wakeup.wake();
    return addedUrls(candidates, refused, answers);
  }

  /** Marks the run as over, with everything closed. @param waits - The hosts that waited when it ended. */
  markEnded(waits: CrawlReport['waiting']): void {
    this.#lastWaits = waits;
  }

  #assertRunning(): void {
    if (this.#lastWaits !== null) throw notRunning();
  }
}

function notRunning(): MannerlyError {
  return new MannerlyError('not-running', 'the queue is open only during a run', { hint: 'Call it during `run`.' });
}
