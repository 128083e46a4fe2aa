// Compiled rules: what a file says to one crawler. Compiled once, used often. Rules, politeness and preferences come
// from the same groups; only rules depend on dialect and policy.
//
// A decision: all readings must allow; the first that denies decides, else the first of all. `explain` works out what
// else would have mattered.

import { textOf } from './bytes.js';
import { type DialectName, rfc9309 } from './dialects.js';
import type { FieldRecord, RobotsDocument } from './document.js';
import { CALL_HINT, RobotsError } from './errors.js';
import { DISALLOW, NOINDEX, UNKNOWN } from './fields.js';
import { fileLicenses, readLicense, urlsOf } from './file-fields.js';
import { type FieldSource, fieldSpans, readGroupFields, type Schedule, scheduleOf, valuesOf } from './groups.js';
import { MAX_COMMENT_CHARS, MAX_COMMENTS } from './limits.js';
import { canonical } from './normalize.js';
import { type CompileOptions, type ResolvedCompileOptions, resolveCompileOptions } from './options.js';
import { PackedRecord } from './packed-records.js';
import { type Target, targetOf } from './pattern.js';
import { parseCrawlDelay, rateInForce } from './politeness-fields.js';
import { hostOf, readHost } from './read-url.js';
import { compileReading, type Reading, type Readings, readingsOf, selectionOf } from './reading.js';
import { findRule, isAllowRule, originOf, patternAt, TOO_MUCH_WORK } from './rule-index.js';

/**
 * Why a URL may be fetched or not. `rule`: a rule matched; `no-match`: no rule did; `no-group`: no group applies;
 * `robots-url`: the file itself; `oversize`: the file, the group or the matching work exceeds a limit;
 * `closed-rate`: a Request-rate of zero documents is in force (only from `decideAt`).
 */
export type DecisionReason = 'rule' | 'no-match' | 'no-group' | 'robots-url' | 'oversize' | 'closed-rate';

/** Whether a URL may be fetched, and what decided it. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  /** The reading that decided. */
  readonly dialect: DialectName;
  /** Line number of the rule, or `null` when no rule decided. */
  readonly line: number | null;
  /** The rule's value as written, or `null`. */
  readonly pattern: string | null;
  /** The name that selected the deciding groups: one of the crawler's tokens, `*`, or `null` for no group. */
  readonly agent: string | null;
}

/** Noindex lines as if they were Disallow lines. */
const NOINDEX_DIALECT = { ...rfc9309, kindOf: ({ kind }: { kind: number }) => (kind === NOINDEX ? DISALLOW : UNKNOWN) };

type GroupFacts = ReturnType<typeof readGroupFacts>;

/** What a file says to one crawler. Everything but decisions is computed on first access. */
export class RobotsRules {
  /** The file. */
  declare readonly document: RobotsDocument;
  /** The readings that decide about URLs; an implementation detail shared with explanations. */
  declare readonly readings: Readings;
  readonly #settings: ResolvedCompileOptions;
  #groupFacts: GroupFacts | null = null;

  /** Use `compileRules`. */
  constructor(document: RobotsDocument, settings: ResolvedCompileOptions) {
    this.document = document;
    this.#settings = settings;
    this.readings = readingsOf(document, settings);
  }

  /**
   * Whether a URL may be fetched, and what decided it (RFC 9309 §2.2.2; robots §7, §8).
   * @param url - An absolute URL, or a path with query. The fragment is ignored.
   * @throws RobotsError `foreign-url` if the host or port of the URL differs from the document's `robotsUrl`. If there
   *   is no `robotsUrl`, the authority is not checked. `invalid-input` if it is neither text nor a `URL`.
   */
  decide(url: string | URL): Decision {
    const { allowed, reading, rule } = decideTarget(this.readings, ownTarget(this.document, url));
    const { agent, dialect } = reading;
    const record = rule < 0 ? null : new PackedRecord(reading.packed, originOf(patternAt(reading, rule)));
    return {
      allowed,
      reason: record ? 'rule' : (REASONS[rule] ?? (agent === null ? 'no-group' : 'no-match')),
      dialect: dialect.name,
      line: record?.line ?? null,
      pattern: record && textOf(record.value),
      agent,
    };
  }

  /** Whether a URL may be fetched; `decide` without the reason. @throws RobotsError as `decide`. */
  isAllowed(url: string | URL): boolean {
    return decideTarget(this.readings, ownTarget(this.document, url)).allowed;
  }

  /**
   * The decision at a given time: like `decide`, but disallowed with reason `closed-rate` while a Request-rate of zero
   * documents is in force. Visit-time is not considered: such URLs wait, they are not excluded.
   */
  decideAt(url: string | URL, nowMs: number): Decision {
    const decision = this.decide(url);
    const isClosed = RobotsRules.#facts(this).sources.some(
      ({ requestRates }) => rateInForce(requestRates, nowMs).kind === 'closed',
    );
    if (!isClosed || !decision.allowed || decision.reason === 'robots-url') return decision;
    return { ...decision, allowed: false, reason: 'closed-rate', line: null, pattern: null };
  }

  /** The name that selected the groups: one of the crawler's tokens, `*`, or none. */
  get agents(): readonly string[] {
    return RobotsRules.#facts(this).agents;
  }

  /** Line numbers of the User-agent lines of the selected groups. */
  get groupLines(): readonly number[] {
    return RobotsRules.#facts(this).groupLines;
  }

  /** The site's Comment lines for the operator (robots §9.5). Never interpreted. */
  get comments(): readonly string[] {
    return RobotsRules.#facts(this).comments;
  }

  /** The `Robot-version` our groups declare, as three numbers, or `null` (robots §5.5). */
  get robotVersion(): string | null {
    return RobotsRules.#facts(this).robotVersion;
  }

  /** The extension fields for this crawler: those before the first group, and those of its groups. */
  get fields(): readonly (readonly FieldRecord[])[] {
    return RobotsRules.#facts(this)
      .sources.slice(0, 2)
      .map((source) => source.fields);
  }

  /** The Crawl-delay in milliseconds, from the end of a response; `null` for none (robots §9.1, §9.11). */
  get crawlDelayMs(): number | null {
    return RobotsRules.#delay(this).ms ?? null;
  }

  /** The line of the file that `crawlDelayMs` comes from, the first among equals; `null` for none. */
  get crawlDelayLine(): number | null {
    return RobotsRules.#delay(this).line ?? null;
  }

  /** The Cache-delay in milliseconds, for archiving crawls, or `null` (robots §9.11). */
  get cacheDelayMs(): number | null {
    return RobotsRules.#delay(this, 'cache-delay').ms ?? null;
  }

  /**
   * All Request-rate lines for this crawler, with line numbers (robots §9.2). `schedule` says which is in force when.
   */
  get requestRates(): FieldSource['requestRates'] {
    return RobotsRules.#facts(this).sources.flatMap((source) => source.requestRates);
  }

  /** Whether a rate spaces requests or allows bursts: the option, passed on. */
  get requestRateMode(): 'spaced' | 'bucket' {
    return this.#settings.requestRateMode;
  }

  /** The Visit-time windows of our groups; none means always (robots §9.3). Use `schedule` to decide. */
  get visitWindows(): FieldSource['visitWindows'] {
    const windows = RobotsRules.#facts(this).sources.map((source) => source.visitWindows);
    return windows.find((list) => list.length > 0) ?? [];
  }

  /** Whether requests may start at a time, how far apart, or from when (robots §9.2, §9.3). */
  schedule(nowMs: number): Schedule {
    return scheduleOf(RobotsRules.#facts(this).sources, nowMs);
  }

  /** The licences for this crawler: those of its groups, or else of the file (licensing §2, C3). */
  get licenses(): readonly string[] {
    const { document } = this;
    const own = urlsOf(this.fields[1] ?? [], 'license', document.robotsUrl, readLicense);
    // Not `document.licenses`, which unpacks every field.
    return own.length > 0 ? own : fileLicenses(document);
  }

  /** The Noindex values of our groups, as written (robots §9.10). */
  get noindex(): readonly string[] {
    return valuesOf(this.fields[1] ?? [], 'noindex', (value) => value);
  }

  /** Whether a fetched page is treated as `noindex`. Never affects fetching (robots §9.10). */
  isNoindex(url: string | URL): boolean {
    // If a decision takes too much work, the answer is yes, which keeps less (rule-index.ts, TOO_MUCH_WORK).
    const { noindex } = RobotsRules.#facts(this);
    return noindex.rows !== '' && decidingRule(noindex, ownTarget(this.document, url)) !== -1;
  }

  // Static, because private methods of an instance cost each instance a slot.
  static #delay(rules: RobotsRules, name = 'crawl-delay'): { ms?: number; line?: number } {
    const { cacheDelay, maxCrawlDelayMs } = rules.#settings;
    const fields = RobotsRules.#facts(rules).sources.flatMap((source) => source.fields);
    const delays = fields.flatMap(({ field, value, line }) => {
      const isAsked = field === name || (field === 'cache-delay' && cacheDelay !== 'ignore');
      const delay = isAsked && parseCrawlDelay(value, maxCrawlDelayMs);
      return delay ? { ms: delay.delayMs, line } : [];
    });
    return delays.sort((a, b) => b.ms - a.ms)[0] ?? {};
  }

  static #facts(rules: RobotsRules): GroupFacts {
    rules.#groupFacts ??= readGroupFacts(rules.document, rules.#settings);
    return rules.#groupFacts;
  }
}

/** A verdict as numbers: the reading and its rule; -1: none, -2: the file itself, `TOO_MUCH_WORK`: too costly. */
interface Verdict {
  readonly allowed: boolean;
  readonly reading: Reading;
  readonly rule: number;
}

const ROBOTS_URL = -2;

/** The verdict on a target (robots §7.4, §8). */
export function decideTarget(readings: Readings, target: Target): Verdict {
  const { path, isUsual } = target;
  let first: Verdict | null = null;
  if ((isUsual ? path : canonical(path, 'n0', false)) === '/robots.txt') {
    first = { allowed: true, reading: readings[0], rule: ROBOTS_URL };
  } else {
    for (const reading of readings) {
      const rule = reading.fallback === 'overfull' ? TOO_MUCH_WORK : decidingRule(reading, target);
      const allowed = rule < 0 ? rule !== TOO_MUCH_WORK && reading.fallback === 'open' : isAllowRule(reading, rule);
      const verdict = { allowed, reading, rule };
      if (!allowed) return verdict;
      first ??= verdict;
    }
  }
  return first as Verdict;
}

/** The rule of a reading that decides about a target. @returns A reference, -1 for none, or `TOO_MUCH_WORK`. */
function decidingRule(reading: Reading, { path, isUsual }: Target): number {
  if (isUsual) return findRule(reading, path, true);
  const { form } = reading.dialect;
  const plain = canonical(path, form, false);
  const query = form === 'n0' ? canonical(path, 'n1', false) : plain;
  const found = findRule(reading, plain, query === plain);
  return query === plain || found === TOO_MUCH_WORK ? found : findRule(reading, query, true, found);
}

/** What decided if no rule did. */
const REASONS: Readonly<Record<number, DecisionReason>> = { [ROBOTS_URL]: 'robots-url', [TOO_MUCH_WORK]: 'oversize' };

/** What the selected groups say besides rules. @see robots §9, R36, R37 */
function readGroupFacts(document: RobotsDocument, settings: ResolvedCompileOptions) {
  const { spans, agent, starred, dialect } = selectionOf(document, settings.dialect, settings.tokens);
  const ours = fieldSpans(document, dialect, { spans, agent });
  const sources = [null, ours];
  if (settings.inheritPoliteness && agent !== '*') {
    sources.push(fieldSpans(document, dialect, { spans: starred, agent: '*' }));
  }
  return {
    agents: agent === null ? [] : [agent],
    groupLines: spans.flatMap((span) => span.agentLines),
    robotVersion: spans.find(({ version }) => version !== null)?.version?.text ?? null,
    sources: sources.map((groups) => readGroupFields(document, groups)),
    // They are shown, not obeyed, so those to the other agents of the group are included.
    comments: [null, spans].flatMap((groups) => commentsOf(readGroupFields(document, groups))).slice(0, MAX_COMMENTS),
    noindex: compileReading(document, NOINDEX_DIALECT, { spans: ours, agent }, settings),
  };
}

/** The path of a URL of the file's own authority, or of a path. @throws RobotsError `foreign-url`. */
function ownTarget({ robotsUrl }: RobotsDocument, given: string | URL): Target {
  const url = typeof given === 'string' ? given : (given as URL | undefined)?.href;
  // Anything else would be a path that no rule matches.
  if (typeof url !== 'string') throw new RobotsError('invalid-input', 'expected a URL or a path');
  if (
    robotsUrl !== null &&
    !url.startsWith('/') &&
    !url.startsWith(robotsUrl.slice(0, robotsUrl.indexOf('/', 8) + 1))
  ) {
    const host = readHost(url);
    if (host && host !== hostOf(robotsUrl)) {
      throw new RobotsError('foreign-url', `${url} does not belong to ${robotsUrl}`, `use the robots.txt of ${host}`);
    }
  }
  return targetOf(url);
}

function commentsOf({ fields }: FieldSource): string[] {
  return valuesOf(fields, 'comment', (value) => value.replace(/\p{Cc}/gu, '').slice(0, MAX_COMMENT_CHARS));
}

/**
 * Compiles what a file says to a crawler. Costs about as much as parsing; the result shares the document's memory.
 * @throws RobotsError `invalid-document`, `invalid-tokens`, `option-invalid`, `option-unknown`.
 */
export function compileRules(document: RobotsDocument, options: CompileOptions): RobotsRules {
  return createRulesCompiler(options)(document);
}

/**
 * `compileRules` for many files: the options are checked once and shared by all the rules.
 * @param options - Who is crawling, and which reading counts; later changes to the object have no effect.
 * @returns A function of a document from `parseRobots`; it throws RobotsError `invalid-document` for anything else.
 * @throws RobotsError `invalid-tokens`, `option-invalid`, `option-unknown`.
 */
export function createRulesCompiler(options: CompileOptions): (document: RobotsDocument) => RobotsRules {
  const settings = resolveCompileOptions(options);
  return (document) => {
    if (typeof document?.packed !== 'string') {
      throw new RobotsError('invalid-document', 'expected a document', CALL_HINT);
    }
    return new RobotsRules(document, settings);
  };
}
