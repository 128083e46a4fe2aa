// The subpath `mannerly/dashboard`: named re-exports, one by one.

export { createDashboard, type Dashboard } from './dashboard.js';
export type { DashboardOptions } from './dashboard-options.js';
export type { DashboardView } from './view.js';
