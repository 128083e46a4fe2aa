// A client for programs that send their own requests: it requests each robots.txt once, keeps it for its lifetime, and
// answers whether a URL may be fetched. If the site does not answer, the answer is hold (access §5). Every redirect is
// checked, and the body and the time of a request are bounded.

import { copyValidators, type GoodCopy, type RobotsAnswer } from '../access/answer.js';
import { type AccessOptions, type ResolvedAccessOptions, resolveAccessOptions } from '../access/profile.js';
import { nextHop, robotsUrl } from '../access/robots-url.js';
import { type AccessState, accessAdvice, initialAccess, isFetchDue, nextAccess } from '../access/state.js';
import { isProductToken } from '../dialects.js';
import { RobotsError } from '../errors.js';
import { MAX_CLIENT_AUTHORITIES, MAX_FILE_BYTES, MAX_JITTER, ROBOTS_EXCHANGE_MS } from '../limits.js';
import { type CompileOptions, checkNames, invalidOption } from '../options.js';
import { parseRobots } from '../parse.js';
import { readUrl } from '../read-url.js';
import { createRulesCompiler, type DecisionReason, type RobotsRules } from '../rules.js';

/** Who the crawler is. */
export interface RobotsClientIdentity {
  /** The product token: letters, digits, `-` and `_`. robots.txt addresses the crawler by it. */
  readonly name: string;
  /** A URL of a page about the crawler or of a mailbox: `https://…` or `mailto:…`. It appears in the User-Agent. */
  readonly contact: string;
}

/** The options of a client. */
export interface RobotsClientOptions {
  readonly identity: RobotsClientIdentity;
  /** Sends the requests for robots.txt. @default the platform's */
  readonly fetch?: typeof globalThis.fetch;
  /** How the answers to these requests are read (access §4, §5). @default as RFC 9309 says */
  readonly access?: AccessOptions;
  /** How the files are read. @default as RFC 9309 says */
  readonly rules?: Omit<CompileOptions, 'tokens'>;
  /** Epoch milliseconds. @default the platform's clock */
  readonly nowMs?: () => number;
}

/** Whether a URL may be fetched now. */
export interface UrlCheck {
  /** `hold`: the site has not answered. Do not fetch the URL; check again at `untilMs`. */
  readonly answer: 'allow' | 'deny' | 'hold';
  /**
   * Why: the reason of the decision; `no-rules`, the site has no robots.txt; `restricted`, the site denies access to
   * its robots.txt and thus to everything; `unreachable`, robots.txt could not be fetched; `url-invalid`, neither http
   * nor https.
   */
  readonly reason: DecisionReason | 'no-rules' | 'restricted' | 'unreachable' | 'url-invalid';
  /** The line of robots.txt that decided; `null` if none did. */
  readonly line: number | null;
  /** When to check again, in epoch milliseconds; `null` unless the answer is `hold`. */
  readonly untilMs: number | null;
  /** The file's rules, with `crawlDelayMs` and `schedule`; `null` if there are none. */
  readonly rules: RobotsRules | null;
}

const CLIENT_OPTIONS = ['identity', 'fetch', 'access', 'rules', 'nowMs'];

/** Checks URLs against robots.txt. */
export interface RobotsClient {
  /** Whether a URL may be fetched; `false` until the site has answered. Never rejects. */
  isAllowed(url: string | URL): Promise<boolean>;
  /** As `isAllowed`, with the reason. The first call for an authority requests its robots.txt. Never rejects. */
  check(url: string | URL): Promise<UrlCheck>;
}

/** What is known of an authority. */
interface Authority {
  access: AccessState;
  rules: RobotsRules | null;
  /** The body that `rules` were read from. */
  body: Uint8Array | null;
  fetching: Promise<void> | null;
}

const UNKNOWN = { line: null, untilMs: null, rules: null } as const;

/**
 * Makes a client. It keeps the files of the 1,000 most recently used authorities in memory. It does not space requests:
 * the caller has to follow `crawlDelayMs` and `schedule(nowMs)` of the `rules` that `check` returns.
 * @throws RobotsError `invalid-tokens`, `option-invalid`, `option-unknown`
 */
export function createRobotsClient(options: RobotsClientOptions): RobotsClient {
  // A call without options is answered by the message about the identity.
  const given: Partial<RobotsClientOptions> = options ?? {};
  checkNames(CLIENT_OPTIONS, given);
  const { identity, fetch = globalThis.fetch, access = {}, rules = {}, nowMs = Date.now } = given;
  for (const [option, value] of Object.entries({ fetch, nowMs })) {
    if (typeof value !== 'function') throw invalidOption(option, 'a function', value);
  }
  const { name, contact } = checkedIdentity(identity);
  const tools: RequestTools = {
    fetch,
    userAgent: `${name} (+${contact})`,
    access: resolveAccessOptions({ dialect: rules.dialect, policy: rules.policy, ...access }),
  };
  const compile = createRulesCompiler({ ...rules, tokens: name });
  const authorities = new Map<string, Authority>();

  const authorityOf = (robots: string): Authority => {
    const known = authorities.get(robots) ?? { access: initialAccess(), rules: null, body: null, fetching: null };
    authorities.delete(robots);
    authorities.set(robots, known);
    if (authorities.size > MAX_CLIENT_AUTHORITIES) authorities.delete(authorities.keys().next().value ?? '');
    return known;
  };
  const refresh = async (robots: string, authority: Authority): Promise<void> => {
    authority.access = nextAccess(authority.access, { kind: 'ask' }, nowMs(), tools.access);
    const answer = await requestRobots(robots, authority.access.copy, tools);
    const event = { kind: 'answer', answer, jitter: Math.random() * MAX_JITTER } as const;
    authority.access = nextAccess(authority.access, event, nowMs(), tools.access);
    const { copy } = authority.access;
    if (copy === null || copy.body === authority.body) return;
    authority.body = copy.body;
    authority.rules = compile(
      parseRobots(copy.body, { robotsUrl: robots, ...(copy.charset && { charset: copy.charset }) }),
    );
  };

  const check = async (input: string | URL): Promise<UrlCheck> => {
    const url = String(input);
    const robots = robotsUrl(url);
    if (robots === null) return { ...UNKNOWN, answer: 'deny', reason: 'url-invalid' };
    const authority = authorityOf(robots);
    if (authority.fetching === null && isFetchDue(authority.access, nowMs())) {
      authority.fetching = refresh(robots, authority).finally(() => {
        authority.fetching = null;
      });
    }
    await authority.fetching;
    const advice = accessAdvice(authority.access, nowMs(), tools.access);
    if (advice.kind === 'hold') return { ...UNKNOWN, answer: 'hold', reason: 'unreachable', untilMs: advice.untilMs };
    if (advice.kind === 'allow') return { ...UNKNOWN, answer: 'allow', reason: 'no-rules' };
    if (advice.kind === 'deny' || authority.rules === null) return { ...UNKNOWN, answer: 'deny', reason: 'restricted' };
    const { allowed, reason, line } = authority.rules.decideAt(url, nowMs());
    return { answer: allowed ? 'allow' : 'deny', reason, line, untilMs: null, rules: authority.rules };
  };
  return { check, isAllowed: async (url) => (await check(url)).answer === 'allow' };
}

/** @throws RobotsError `invalid-tokens`, `option-invalid` */
function checkedIdentity(identity: RobotsClientIdentity | undefined): RobotsClientIdentity {
  const { name, contact } = identity ?? { name: undefined, contact: undefined };
  if (typeof name !== 'string' || !isProductToken(name)) {
    const hint = 'identity: { name: "examplebot", contact: "https://example.org/bot" }';
    throw new RobotsError('invalid-tokens', '`identity.name` takes letters, digits, hyphens and underscores', hint);
  }
  const page = typeof contact === 'string' ? readUrl(contact) : null;
  if (page === null || !['http:', 'https:', 'mailto:'].includes(page.protocol)) {
    const hint = 'name a page about your crawler, or a mailbox: contact: "mailto:you@example.org"';
    throw new RobotsError('option-invalid', '`identity.contact` takes a URL, so that a site can reach you', hint);
  }
  return { name, contact: page.href };
}

interface RequestTools {
  readonly fetch: typeof globalThis.fetch;
  readonly userAgent: string;
  readonly access: ResolvedAccessOptions;
}

/** Requests a robots.txt. @param copy - The last good copy, which the server may confirm. Never rejects. */
async function requestRobots(
  robotsUrl: string,
  copy: GoodCopy | null,
  { fetch, userAgent, access }: RequestTools,
): Promise<RobotsAnswer> {
  const chain = [robotsUrl];
  const signal = AbortSignal.timeout(ROBOTS_EXCHANGE_MS);
  try {
    for (let url = robotsUrl; ; ) {
      const headers = { 'user-agent': userAgent, accept: 'text/plain, */*;q=0.1', ...copyValidators(copy, url) };
      const response = await fetch(url, { headers, redirect: 'manual', signal, credentials: 'omit' });
      const { status } = response;
      const next = nextHop(status, response.headers.get('location'), url, chain, access);
      if (next.kind === 'final') {
        const fields = Object.fromEntries(response.headers);
        const body = await readBody(response);
        return { kind: 'response', status, headers: fields, body, robotsUrl, finalUrl: url };
      }
      await response.body?.cancel();
      if (next.kind === 'redirect-limit') return next;
      if (next.kind === 'redirect-unusable') return { kind: 'failure', failure: 'redirect-unusable' };
      url = next.url;
      chain.push(url);
    }
  } catch {
    return { kind: 'failure', failure: signal.aborted ? 'timeout' : 'other' };
  }
}

/** A byte order mark and one more byte. */
const BOM_BYTES = 4;

/** The body, up to the first byte past the limit. */
async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: BlobPart[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
    chunks.push(chunk.value);
    length += chunk.value.length;
    // The parser cuts a file beyond the limit at a line end.
    if (length > MAX_FILE_BYTES + BOM_BYTES) {
      await reader?.cancel();
      break;
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
