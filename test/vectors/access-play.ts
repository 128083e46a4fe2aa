/**
 * Simulates a crawler and its servers: asks for decisions, fetches robots.txt from scripted origins when the access
 * machine says so, follows its redirects, and decides by the rules found. No network and no clock.
 */
import { compileRules, parseRobots } from '@mannerly/robots';
import {
  type AccessProfile,
  type AccessState,
  accessAdvice,
  copyValidators,
  initialAccess,
  nextAccess,
  nextHop,
  type RobotsAnswer,
  type RobotsFailure,
  resolveAccessOptions,
  robotsUrl,
} from '@mannerly/robots/access';

/** The answer of a server, as the vectors write it. */
export interface Origin {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly error?: string;
}

/** The effects of one ask. */
export interface AskResult {
  readonly decision: 'allow' | 'deny' | 'hold';
  readonly state: string;
  readonly robotsFetch: boolean;
  /** Whether a request for robots.txt carried a validator. */
  readonly conditional: boolean;
  readonly sitemaps: readonly string[];
  /** The robots.txt URLs that were fetched for their own authority. */
  readonly robotsFetchesFor: readonly string[];
}

const FAILURES: Readonly<Record<string, RobotsFailure>> = {
  dns: 'dns',
  timeout: 'timeout',
  tls: 'tls',
  'reset-mid-body': 'reset',
  'content-length-mismatch': 'short-body',
};

/** A simulated crawler with a profile; `originOf` answers its requests. */
export function createPlay(
  profile: AccessProfile,
  agent: string,
  originOf: (url: string) => Origin,
): { ask(url: string, nowMs: number): AskResult } {
  const options = resolveAccessOptions({ accessProfile: profile });
  const states = new Map<string, AccessState>();

  const fetchRobots = (state: AccessState, start: string): { answer: RobotsAnswer; conditional: boolean } => {
    const chain: string[] = [];
    let url = start;
    let conditional = false;
    for (;;) {
      chain.push(url);
      conditional ||= copyValidators(state.copy, url) !== null;
      const { status = 0, headers = {}, body = '', error } = originOf(url);
      if (error !== undefined) {
        return { answer: { kind: 'failure', failure: FAILURES[error] ?? 'other' }, conditional };
      }
      const hop = nextHop(status, headers['location'] ?? null, url, chain, options);
      if (hop.kind === 'follow') {
        url = hop.url;
        continue;
      }
      if (hop.kind === 'redirect-limit') return { answer: { kind: 'redirect-limit' }, conditional };
      if (hop.kind === 'redirect-unusable') {
        return { answer: { kind: 'failure', failure: 'redirect-unusable' }, conditional };
      }
      const bytes = new TextEncoder().encode(body);
      const response = { kind: 'response' as const, status, headers, body: bytes, robotsUrl: start, finalUrl: url };
      return { answer: response, conditional };
    }
  };

  const decide = (state: AccessState, url: string, nowMs: number) => {
    const advice = accessAdvice(state, nowMs, options);
    if (advice.kind !== 'by-rules') return { decision: advice.kind, sitemaps: [] };
    const { body = '', robotsUrl: base = '' } = state.copy ?? {};
    const document = parseRobots(body, { robotsUrl: base });
    const allowed = compileRules(document, { tokens: agent, ...readingOf(profile) }).isAllowed(url);
    return { decision: allowed ? ('allow' as const) : ('deny' as const), sitemaps: document.sitemaps };
  };

  return {
    ask(url, nowMs) {
      const start = robotsUrl(url);
      if (start === null) throw new Error(`no robots.txt for ${url}`);
      const before = states.get(start) ?? initialAccess();
      const none = { robotsFetch: false, conditional: false, sitemaps: [], robotsFetchesFor: [] };
      if (url === start) return { ...none, decision: 'allow', state: before.phase };
      let state = nextAccess(before, { kind: 'ask' }, nowMs, options);
      const robotsFetch = state.fetching && !before.fetching;
      let conditional = false;
      if (robotsFetch) {
        const fetched = fetchRobots(state, start);
        conditional = fetched.conditional;
        state = nextAccess(state, { kind: 'answer', answer: fetched.answer, jitter: 0 }, nowMs, options);
      }
      states.set(start, state);
      const robotsFetchesFor = robotsFetch ? [start] : [];
      return { ...decide(state, url, nowMs), state: state.phase, robotsFetch, conditional, robotsFetchesFor };
    },
  };
}

function readingOf(profile: AccessProfile) {
  if (profile === 'strictest') return { policy: 'strictest' as const };
  return profile === 'rfc9309' ? {} : { dialect: profile, policy: 'base' as const };
}
