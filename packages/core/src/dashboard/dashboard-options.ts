// The options of a dashboard, checked and filled in.

import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { MannerlyError } from 'mannerly';
import { checkMembers, checkOptions } from '../call-options.js';
import type { ApiOptions } from './api.js';
import { DASHBOARD_TOKEN_BYTES, MAX_DASHBOARD_NAMES, MIN_DASHBOARD_TOKEN_CHARS } from './limits.js';

/** The source of metrics: a `Registry` of prom-client, or an object like one. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** The options of `createDashboard`. */
export interface DashboardOptions {
  /** 0 to 65,535; 0: any free port. @default 0 */
  readonly port?: number;
  /**
   * The address it listens at. Any address other than a loopback one lets other machines in: the token then travels
   * unencrypted, so put a proxy with TLS in front. @default '127.0.0.1'
   */
  readonly host?: string;
  /** Names, besides addresses and `localhost`, under which it may be requested, such as a proxy's. @default [] */
  readonly hostNames?: readonly string[];
  /** Required in every request: 32 or more letters, digits and `-_.~`. @default random, for this run alone */
  readonly token?: string;
  /** Served at `/metrics`, with the token as a bearer or in the query. @default none */
  readonly metrics?: MetricsSource;
  /** Whether the page and the HTTP API may pause, resume and stop the crawl. @default true */
  readonly controls?: boolean;
  /**
   * Serves an HTTP API under `/api`, with which other programs add URLs, read the status, pause, stop and explain.
   * `out` is the crawl directory, for reports. @default none
   */
  readonly api?: ApiOptions;
}

export type ResolvedDashboardOptions = ReturnType<typeof resolveDashboardOptions>;

/** @throws MannerlyError `option-unknown`, `option-invalid`. */
export function resolveDashboardOptions(options: DashboardOptions) {
  checkOptions('createDashboard', options, {
    port: 'any',
    host: 'string',
    hostNames: 'any',
    token: 'string',
    metrics: 'object',
    controls: 'boolean',
    api: 'any',
  });
  const { port = 0, host = '127.0.0.1', hostNames = [], token, metrics = null, controls = true, api = null } = options;
  if (metrics !== null) checkMembers('metrics', 'a Registry of prom-client', metrics, 'contentType', 'metrics');
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalid('port', 'a whole number from 0 to 65535', port);
  if (isIP(host) === 0) throw invalid('host', 'an IP address', host);
  const areNames = Array.isArray(hostNames) && hostNames.every((name) => /^[a-z0-9]([a-z0-9.-]{0,252})$/i.test(name));
  if (!areNames || hostNames.length > MAX_DASHBOARD_NAMES)
    throw invalid('hostNames', `at most ${MAX_DASHBOARD_NAMES} host names without ports`, hostNames);
  if (token !== undefined && !(/^[\w.~-]+$/.test(token) && token.length >= MIN_DASHBOARD_TOKEN_CHARS)) {
    // The message does not repeat it: it may be a secret even if invalid.
    const range = `at least ${MIN_DASHBOARD_TOKEN_CHARS} letters, digits, -, _, . or ~`;
    throw invalid('token', range, `${token.length} characters`);
  }
  if (api !== null) checkOptions('createDashboard.api', api, { out: 'string' });
  return {
    port,
    host,
    hostNames: hostNames.map((name) => name.toLowerCase()),
    token: token ?? randomBytes(DASHBOARD_TOKEN_BYTES).toString('base64url'),
    metrics,
    controls,
    api,
  };
}

function invalid(name: string, range: string, value: unknown): MannerlyError {
  return new MannerlyError('option-invalid', `expected \`${name}\` of the dashboard to be ${range}, got ${value}`);
}
