// The subpath `mannerly/dashboard`: named re-exports, one by one.

export { createDashboard, type Dashboard } from './dashboard.js';
export type { DashboardOptions, MetricsSource } from './dashboard-options.js';
export type { HostTally } from './host-ledger.js';
export type { DashboardView, HostRow, NoteRow, RequestRow, WatchedCrawl } from './view.js';
