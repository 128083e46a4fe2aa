// The public entry of `@mannerly/frontier`: named re-exports, one by one.

export { type Clock, createManualClock, systemClock } from './clock.js';
export { FrontierError } from './errors.js';
export { createFrontier, type Frontier, type FrontierCounts } from './frontier.js';
export type { FrontierEvent, HostWait, HostWarning, UrlVerdict } from './frontier-event.js';
export type { FrontierOptions, RobotsOptions } from './options/options.js';
export type { CustomPoliteness, PolitenessOptions, PolitenessProfileName } from './politeness/profile.js';
export { retryUrl } from './politeness/url-retry.js';
export type { HostInspection, ReadyHost, UrlInspection } from './questions/questions.js';
export type { ListRequest, QueuedUrl, QueueListing } from './questions/queued.js';
export type {
  AddOutcome,
  CommitAnswer,
  Entry,
  FrontierStore,
  HostCommit,
  HostCommitAnswer,
  Lease,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  RecordListing,
  StoreCapabilities,
} from './store.js';
export { memoryStore } from './stores/memory.js';
export { shardedStore } from './stores/sharded.js';
export {
  CANONICAL_RULES,
  type CanonicalRule,
  canonicalize,
  canonicalRulesWith,
  type HostKeyBy,
  TRACKING_PARAMETERS,
  trackingParameters,
  withoutParameters,
} from './url/url.js';
export type { JsonValue, NewUrl, UrlRecord, Via } from './url-record.js';
export type {
  AddAnswer,
  Exchange,
  HostRequirements,
  PageWork,
  RobotsCopyRef,
  RobotsWork,
  Settlement,
  StartAnswer,
  Work,
} from './work.js';
