// The front door of `@mannerly/frontier`: named re-exports, one by one.

export { type Clock, createManualClock, type ManualClock, systemClock } from './clock.js';
export { FrontierError, type FrontierErrorCode } from './errors.js';
export type { OwnAnswer } from './flow/own-request-queue.js';
export {
  createFrontier,
  type Frontier,
  type OnFrontierEvent,
} from './frontier.js';
export type { FrontierEvent, HostWait, HostWarning, UrlVerdict } from './frontier-event.js';
export type { FrontierBounds } from './options/bounds-options.js';
export type { CompanionsFor, FrontierOptions, WhyNot } from './options/options.js';
export { checkRobotsOptions, type RobotsOptions } from './options/robots-options.js';
export { type AnswerKind, answerKind } from './politeness/answer-kind.js';
export { redirectNotBeforeMs, retryUrl, type UrlRetry } from './politeness/backoff.js';
export {
  type AfterExchange,
  afterExchange,
  type ClockWarning,
  type HostClock,
  newHostClock,
  throttlePauseMs,
} from './politeness/host-clock.js';
export {
  type EarliestStart,
  earliestStart,
  type IntervalInput,
  type RateInForce,
  type RequestInterval,
  requestInterval,
} from './politeness/interval.js';
export {
  type CustomPoliteness,
  type Politeness,
  type PolitenessOptions,
  type PolitenessProfileName,
  resolvePoliteness,
} from './politeness/profile.js';
export type { FrontierCounts } from './questions/frontier-counts.js';
export type { AuthorityLook, HostLook } from './questions/host-look.js';
export type { ListRequest, QueuedUrl, QueueListing } from './questions/queued.js';
export type { ReadyHost } from './questions/ready-hosts.js';
export type { UrlLook } from './questions/url-look.js';
export { createRecentSet, type RecentSet } from './recent-set.js';
export type { AddAnswer, Exchange, Settlement } from './settlement.js';
export type {
  AddOutcome,
  CommitAnswer,
  Entry,
  EntryId,
  FencingToken,
  FrontierStore,
  HostCommit,
  HostCommitAnswer,
  HostKey,
  LaneBlock,
  Lease,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  Requeue,
  ReserveSlot,
  ScanListing,
  StoreCapabilities,
  StoredHost,
  StoreStats,
} from './store.js';
export { type MemoryStoreOptions, memoryStore } from './stores/memory.js';
export {
  CANONICAL_RULES,
  type CanonicalRule,
  canonicalize,
  canonicalRulesWith,
  TRACKING_PARAMETERS,
  trackingParameters,
  withoutParameters,
} from './url/canonicalize.js';
export { createFingerprinter, type Fingerprinter, newFingerprintSecret } from './url/fingerprint.js';
export { authorityOf, type HostKeyBy, hostKeyOf } from './url/host-key.js';
export { formatUrlParts, parseUrlParts, type UrlParts } from './url/url-parts.js';
export type { JsonValue, NewUrl, UrlRecord, Via } from './url-record.js';
export type {
  HostRequirements,
  PageWork,
  RobotsCopyRef,
  RobotsSignals,
  RobotsWork,
  StartAnswer,
  Work,
  WorkLease,
} from './work.js';
