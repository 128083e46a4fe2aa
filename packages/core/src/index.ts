// The front egress of `mannerly`: named re-exports, one by one. Names of the other two packages stand here where a
// signature of this one needs them: its users need not install those.

export type {
  CanonicalRule,
  Clock,
  CustomPoliteness,
  FrontierStore,
  HostLook,
  HostWait,
  HostWarning,
  JsonValue,
  ListRequest,
  PolitenessProfileName,
  QueuedUrl,
  QueueListing,
  ReadyHost,
  RobotsCopyRef,
  RobotsOptions,
  Via,
} from '@mannerly/frontier';
export type { ContentUse, Purpose } from '@mannerly/robots/page';
export type { ScopeMove } from './admit/scope.js';
export type { TrapFinding, TrapRule } from './admit/trap-options.js';
export type { UrlPattern } from './admit/url-pattern.js';
export { type PackageOptions, packageArchive } from './archive/package-archive.js';
export type { WaczResource, WaczSummary } from './archive/wacz.js';
export {
  type EndedFetch,
  type HookAnswer,
  type HookOptions,
  type HookRefusal,
  type PlannedFetch,
  refuse,
} from './crawl/hooks.js';
export type { RequestUnderway } from './crawl/watched-egress.js';
export { type Crawler, createCrawler, type RunOptions } from './crawler.js';
export { inspectCrawl } from './default-parts.js';
export {
  type CrawlDirectory,
  type CrawlPaths,
  openCrawlDirectory,
  readCrawlDirectory,
  type WholeCrawlPaths,
} from './directory/crawl-directory.js';
export { type CrawlIdentity, type CrawlManifest, MANNERLY_VERSION } from './directory/crawl-manifest.js';
export type { OutputHash } from './directory/output-hashes.js';
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
  headerValues,
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
export { createUndiciFetcher, type UndiciFetcherOptions } from './fetch/undici-fetcher.js';
export { createPlatformFetcher, type PlatformFetcherOptions } from './fetch/web-fetcher.js';
export type { AddResult, FollowOptions, HandledPage, SaveOptions } from './handle/handled-page.js';
export type { Handler, HandlerOptions, Route } from './handle/handlers.js';
export type { EmittedItem } from './handle/item-check.js';
export type { RejectedItem } from './handle/rejected-item.js';
export type { RoutedFollow, RoutedPage, RoutedRevisit, Routes, SchemaInput, SchemaOutput } from './handle/routes.js';
export type { SavedFile } from './handle/save.js';
export { type Schema, type SchemaIssue, unchecked } from './handle/schema.js';
export { RefusePage, RetryPage, StopCrawl } from './handle/signals.js';
export type { CrawlInspection } from './inspection/inspection.js';
export {
  inspectStore,
  type ProcessReport,
  type StoreInspection,
  type StoreReport,
} from './inspection/store-inspection.js';
export type { CrawlEventMap, CrawlEvents, StoreNotice } from './journal/events.js';
export { type CrawlConfig, defineConfig } from './options/config.js';
export type {
  ArchiveOptions,
  BoundsOptions,
  CrawlerOptions,
  DatasetOptions,
  DecisionLogOptions,
  DiscoverOptions,
  IdentityOptions,
  LinkOptions,
  NetworkOptions,
  PageLevelOptions,
  PolitenessOptions,
  PreferenceOptions,
  RelOptions,
  ScopeOptions,
  TrapOptions,
  UrlOptions,
} from './options/crawler-options.js';
export { type CsvSinkOptions, csvSink } from './output/csv.js';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  type ExportSummary,
  exportItems,
} from './output/export-items.js';
export type { ColumnKind, ItemColumn } from './output/item-columns.js';
export { joinedItems } from './output/joined-items.js';
export { type JsonlSinkOptions, jsonlSink } from './output/jsonl.js';
export { type MemorySink, memorySink } from './output/memory.js';
export type { Item, Sink } from './output/sink.js';
export type { ContentKind } from './page/content-kind.js';
export type { DatasetFound } from './page/datasets.js';
export type { ExclusionReason, ExclusionSummary, ItemsLeft, ItemsStored, PageExclusion } from './page/exclusion.js';
export type { HtmlSummary, LinkElement, LinkTag, MetaTag } from './page/html.js';
export type { PageLink } from './page/links.js';
export type { PageFetch, PageFetchOptions } from './page/own-fetch.js';
export type { FetchedPage, PageRendering } from './page/page.js';
export type { CrawlPlan, PlannedBound, PlannedEnd, PlannedHost } from './plan/crawl-plan.js';
export { type PlanOptions, planCrawl } from './plan/plan-crawl.js';
export { planText } from './plan/plan-text.js';
export { type ReplayOptions, type ReplayReport, type ReplayRoutes, replay } from './replay/replay.js';
export { type AuditedCrawl, type AuditOptions, auditCrawl } from './report/audit/audit-crawl.js';
export { auditText } from './report/audit/audit-text.js';
export type { JudgedRequest } from './report/audit/auditor.js';
export {
  type AuditReport,
  VIOLATION_KINDS,
  VIOLATION_MEANINGS,
  type Violation,
  type ViolationKind,
} from './report/audit/violation.js';
export type { CrawlProgress, CrawlReport, HostPoliteness, RunState } from './report/crawl-report.js';
export type { HostClockReading, RequestRecord, RobotsReceipt, UrlDecision, UrlStatus } from './report/decision.js';
export { type Explanation, explain } from './report/explain.js';
export { explanationText, waitText } from './report/explain-text.js';
export { type LoggedReport, type LoggedTotals, reportFromLogs, totalsFromLogs } from './report/from-logs.js';
export type { LoggedHost } from './report/logged-host.js';
export type { ReportedPaths } from './report/page/gather-report.js';
export type {
  ReportData,
  ReportedHost,
  ReportedPause,
  ReportedReason,
  ReportedRule,
} from './report/page/report-data.js';
export { type WrittenReport, writeReport } from './report/page/write-report.js';
export { createPolitenessLedger, OTHER_HOSTS, type PolitenessLedger } from './report/politeness.js';
export { progressText } from './report/progress-line.js';
export {
  findDecision,
  type LogPaths,
  type PartLogPaths,
  readDecisions,
  readHostWarnings,
  readRejected,
  readRequests,
} from './report/read-logs.js';
export { REASONS, type Reason, type ReasonEntry, reasonOf } from './report/reasons.js';
export type { RunPace, RunPromise } from './report/run-line.js';
export {
  type MeasuredRow,
  measuredTable,
  politenessText,
  printable,
  seconds,
  type TableOptions,
} from './report/table.js';
export type { ActivityOptions, CrawlActivity, CrawlPhase } from './run/activity.js';
export type { RetryAnswer, RetryFilter } from './run/retry.js';
export {
  type EarlierRun,
  type RobotsSnapshot,
  type RunManifest,
  type RunManifestEnd,
  readRunManifests,
} from './run/run-manifest.js';
