// The public entry of `mannerly`, name by name, with the names of the other two packages that its users need.

export type { CanonicalRule, Clock, FrontierStore, HostWait, JsonValue, QueueListing, Via } from '@mannerly/frontier';
export { packageArchive } from './archive/package-archive.js';
export { type EndedFetch, type HookAnswer, type HookOptions, type PlannedFetch, refuse } from './crawl/hooks.js';
export { type Crawler, createCrawler } from './crawler.js';
export { inspectCrawl } from './default-parts.js';
export { readCrawlDirectory } from './directory/crawl-directory.js';
export { MannerlyError, type MannerlyErrorCode } from './errors.js';
export type { CookieJar } from './fetch/cookies.js';
export type { Fetcher, FetcherCapabilities, FetchRequest } from './fetch/fetcher.js';
export { type FailureCode, type FetchOutcome, headerValue, type ResponseOutcome } from './fetch/outcome.js';
export { createUndiciFetcher } from './fetch/undici-fetcher.js';
export { createPlatformFetcher } from './fetch/web-fetcher.js';
export type { HandledPage, PageChange, UnchangedPage } from './handle/handled-page.js';
export type { Handler, Route } from './handle/handlers.js';
export type { ItemStage } from './handle/item-stages.js';
export type { Routes } from './handle/routes.js';
export type { SavedFile } from './handle/save.js';
export { type Schema, unchecked } from './handle/schema.js';
export { RefusePage, RetryPage, StopCrawl } from './handle/signals.js';
export type { CrawlEventMap, StoreNotice } from './journal/events.js';
export type { LogEntry, LogFunction, Logger } from './journal/log-entry.js';
export { type CrawlConfig, defineConfig } from './options/config.js';
export type { CrawlerOptions, IdentityOptions, NetworkOptions, ScopeOptions } from './options/crawler-options.js';
export { csvSink } from './output/csv.js';
export { exportItems } from './output/export-items.js';
export { jsonlSink } from './output/jsonl.js';
export { type Item, memorySink, type Sink } from './output/sink.js';
export type { PageFetch } from './page/page-fetch.js';
export { type CrawlPlan, planCrawl } from './plan/plan-crawl.js';
export { type ReplayRoutes, replay } from './replay/replay.js';
export { auditCrawl } from './report/audit/audit-crawl.js';
export { VIOLATION_KINDS } from './report/audit/audit-report.js';
export type { CodeError } from './report/code-error.js';
export type { CrawlProgress, CrawlReport, HostPoliteness } from './report/crawl-report.js';
export type { RequestRecord, UrlDecision, UrlStatus } from './report/decision.js';
export { type Explanation, explain } from './report/explain.js';
export { explanationText } from './report/explain-text.js';
export { reportFromLogs } from './report/from-logs.js';
export { whyNothingFetched } from './report/nothing-fetched.js';
export { writeReport } from './report/page/write-report.js';
export {
  findDecision,
  readDecisions,
  readErrors,
  readHostWarnings,
  readRejected,
  readRequests,
} from './report/read-logs.js';
export { REASONS, reasonOf } from './report/reasons.js';
export { politenessText } from './report/table.js';
export type { CrawlActivity } from './run/activity.js';
export { readRunManifests } from './run/run-manifest.js';
export type { RunOptions } from './run/run-setup.js';
