// Creates the egress of one run from its options, with the checks that stop the run before anything is sent.

import { resolvePoliteness } from '@mannerly/frontier/internal';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import { createAddressGuard } from '../fetch/address-guard.js';
import type { JarFactory } from '../fetch/cookies.js';
import { Egress } from '../fetch/egress.js';
import type { ExtraHeadersOf } from '../fetch/request-headers.js';
import { RequestLimiter } from '../fetch/request-limiter.js';
import type { Journal } from '../journal/journal.js';
import type { LicenseTokens } from '../licensing/licensing-options.js';
import { CrawlSigning } from '../signatures/crawl-signing.js';
import type { RunSetup } from './run-setup.js';
import type { RunStop } from './run-stop.js';

/** The parts of a run that its egress needs. */
interface EgressRun {
  readonly setup: Pick<RunSetup, 'options' | 'fetcher'>;
  readonly journal: Journal;
  readonly nowMs: () => number;
  readonly stop: RunStop;
  /** `null`: no archive is open. */
  readonly archive: CrawlArchive | null;
}

/** @param cookies - `null`: no cookies are kept. */
export function createRunEgress(
  run: EgressRun,
  tokens: LicenseTokens,
  cookies: JarFactory | null,
  fieldsOf: ExtraHeadersOf,
): Egress {
  const { setup, journal, nowMs, stop } = run;
  const { options, fetcher } = setup;
  const { identity, network } = options;
  const stopFor = stop.requestFor.bind(stop);
  return new Egress({
    ...(tokens.origins.length === 0 ? {} : { tokens }),
    signIn: options.signIn,
    fetcher,
    identity,
    signing: new CrawlSigning(options.signature ?? null, {
      report: (warning) => journal.frontierEvent(warning),
      stop: stopFor,
    }),
    egressRanges: options.egress,
    onFetcherError: (url, error) => journal.hookError('fetcher', url, error),
    onProxyDown: (url, detail) => journal.warning('proxy-down', url, detail),
    stop: stopFor,
    guard: createAddressGuard({ ...network, nowMs }),
    limiter: new RequestLimiter(resolvePoliteness(options.spacing.politeness).crawlIntervalMs),
    network: { ...network, cookies },
    extraHeadersOf: fieldsOf,
    nowMs,
    onRequest: journal.request.bind(journal),
    onExchange: options.archive === null ? undefined : (sent, outcome) => run.archive?.addExchange(sent, outcome),
  });
}
