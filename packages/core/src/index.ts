// The front egress of `mannerly`: named re-exports, one by one. Names of the other two packages stand here where a
// signature of this one needs them: its users need not install those.

export type {
  CanonicalRule,
  Clock,
  FrontierStore,
  HostWait,
  HostWarning,
  JsonValue,
  QueueListing,
  Via,
} from '@mannerly/frontier';
export type { Purpose } from '@mannerly/robots/page';
export type { ScopeMove } from './admit/scope.js';
export type { TrapFinding } from './admit/trap-rules.js';
export type { UrlPattern } from './admit/url-pattern.js';
export { packageArchive } from './archive/package-archive.js';
export { type EndedFetch, type HookAnswer, type HookOptions, type PlannedFetch, refuse } from './crawl/hooks.js';
export { type Crawler, createCrawler, type RunOptions } from './crawler.js';
export { inspectCrawl } from './default-parts.js';
export { openCrawlDirectory, readCrawlDirectory } from './directory/crawl-directory.js';
export { MANNERLY_VERSION } from './directory/crawl-manifest.js';
export { MannerlyError, type MannerlyErrorCode } from './errors.js';
export type { CookieJar } from './fetch/cookies.js';
export type {
  BodyConsumer,
  Fetcher,
  FetcherCapabilities,
  FetchLimits,
  FetchRequest,
  ResponseHead,
} from './fetch/fetcher.js';
export {
  type BodyFile,
  type ExchangeTiming,
  type FailedOutcome,
  type FailureCode,
  type FetchOutcome,
  type HeaderLines,
  headerValue,
  type ResponseOutcome,
} from './fetch/outcome.js';
export type {
  RenderCandidate,
  RenderedPage,
  Renderer,
  RenderFailure,
  RenderFailureCode,
  Rendering,
  RenderRequest,
  Subresource,
  SubresourceAccount,
  SubresourceAnswer,
  SubresourceRefusal,
} from './fetch/renderer.js';
export { createUndiciFetcher } from './fetch/undici-fetcher.js';
export { createPlatformFetcher } from './fetch/web-fetcher.js';
export type { HandledPage } from './handle/handled-page.js';
export type { Handler, HandlerOptions, Route } from './handle/handlers.js';
export type { Routes } from './handle/routes.js';
export type { SavedFile } from './handle/save.js';
export { type Schema, unchecked } from './handle/schema.js';
export { RefusePage, RetryPage, StopCrawl } from './handle/signals.js';
export type { RejectedItem } from './handle/staged.js';
export type { CrawlInspection } from './inspection/inspection.js';
export { inspectStore, type StoreInspection, type StoreReport } from './inspection/store-inspection.js';
export type { CrawlEventMap, CrawlEvents, StoreNotice } from './journal/events.js';
export { type CrawlConfig, defineConfig } from './options/config.js';
export type { CrawlerOptions, IdentityOptions, NetworkOptions, ScopeOptions } from './options/crawler-options.js';
export { csvSink } from './output/csv.js';
export { exportItems } from './output/export-items.js';
export { jsonlSink } from './output/jsonl.js';
export { type MemorySink, memorySink } from './output/memory.js';
export type { Item, Sink } from './output/sink.js';
export type { HtmlSummary } from './page/html.js';
export type { PageLink } from './page/links.js';
export type { PageFetch } from './page/own-fetch.js';
export type { FetchedPage } from './page/page.js';
export type { CrawlPlan } from './plan/crawl-plan.js';
export { planCrawl } from './plan/plan-crawl.js';
export { type ReplayRoutes, replay } from './replay/replay.js';
export { auditCrawl } from './report/audit/audit-crawl.js';
export { type AuditReport, VIOLATION_KINDS, type Violation, type ViolationKind } from './report/audit/audit-report.js';
export type { CrawlProgress, CrawlReport, HostPoliteness, RunState } from './report/crawl-report.js';
export type { RequestRecord, UrlDecision, UrlStatus } from './report/decision.js';
export { type Explanation, explain } from './report/explain.js';
export { explanationText } from './report/explain-text.js';
export { type LoggedTotals, reportFromLogs } from './report/from-logs.js';
export type { ReportData } from './report/page/report-data.js';
export { writeReport } from './report/page/write-report.js';
export { progressText } from './report/progress-line.js';
export { findDecision, readDecisions, readHostWarnings, readRejected, readRequests } from './report/read-logs.js';
export { REASONS, type Reason, reasonOf } from './report/reasons.js';
export { measuredTable, politenessText, printable } from './report/table.js';
export type { CrawlActivity } from './run/activity.js';
export type { RetryFilter } from './run/retry.js';
export { type RunManifest, readRunManifests } from './run/run-manifest.js';
