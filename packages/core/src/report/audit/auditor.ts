// Audits requests one by one, in the order of their ends, by their log and by the kept copies of robots.txt. It shares
// no code with the frontier, which scheduled them, so that each finds the errors of the other.

import { Concurrency } from '../concurrency.js';
import type { RequestRecord, RunDeclaration } from '../decision.js';
import { iso } from '../table.js';
import type { AddViolation, PaceReason, Violation } from './audit-report.js';
import { type Earliest, HostPace, type Pause, paceOf, type RequiredPace } from './host-pace.js';
import { MAX_AUDITED_CONCURRENCY, MAX_AUDITED_HOSTS, MAX_AUTHORITIES_PER_HOST } from './limits.js';
import { aheadMs, type LogClock } from './log-clocks.js';
import { forgetOldest, RobotsInForce } from './robots-in-force.js';

export type AuditedRequest = Awaited<ReturnType<Auditor['audit']>>;

export class Auditor {
  hostCount = 0;
  /** Hosts that were forgotten for lack of space: their next request counts as a first one. */
  forgotten = 0;
  readonly #toleranceMs: number;
  readonly #robots: RobotsInForce;
  /** In the order of the last request, the oldest first. */
  readonly #hosts = new Map<string, HostPace>();
  /** The last exchange to end at each address. */
  readonly #addresses = new Map<string, { readonly host: string; readonly part: number; readonly endedAtMs: number }>();
  readonly #concurrency = new Map<string, Concurrency>();

  /**
   * @param readCopy - The bytes of a kept copy of robots.txt by its hash; `null` if not kept. Its errors pass through
   *   `audit`.
   * @param toleranceMs - How early a request may be, milliseconds: for clocks that were not compared.
   */
  constructor(readCopy: (hash: string) => Promise<Uint8Array | null>, toleranceMs: number) {
    this.#toleranceMs = toleranceMs;
    this.#robots = new RobotsInForce(readCopy);
  }

  /**
   * @param run - The run that made the request; `null` if not known.
   * @param part - The log that has it.
   * @param clock - The clock of the machine that made it; `null` if not known.
   */
  async audit(record: RequestRecord, run: RunDeclaration | null, part: number, clock: LogClock | null = null) {
    const violations: Violation[] = [];
    const name = hostNameOf(record, run);
    const addViolation: AddViolation = (kind, detail) =>
      violations.push({ kind, url: record.url, host: name, atMs: record.startedAtMs, detail });
    const pace = this.#paceOf(name);
    const { errorMs } = pace.switchClock(clock);
    const { startedAtMs, endedAtMs, purpose } = record;
    const { lastEndedAtMs } = pace;
    const gapMs = lastEndedAtMs === null ? null : startedAtMs - lastEndedAtMs;
    if (endedAtMs < startedAtMs) addViolation('log', 'the request ends before it begins');
    else if (lastEndedAtMs !== null && endedAtMs < lastEndedAtMs && startedAtMs < (pace.lastStartedAtMs ?? 0))
      addViolation('log', 'a request stands behind later ones of its host: their order cannot be followed');
    if (gapMs !== null && gapMs + errorMs < 0)
      addViolation('overlapping', `it began ${-gapMs} ms before the host's last request had ended`);
    if (run !== null) this.#checkAddress(record, { host: name, part, run, gapMs }, addViolation);
    // The host's first request has no gap, and nothing is required of an unknown run.
    const result = {
      record,
      host: name,
      /** From the end of the host's last request, milliseconds; below 0 if they overlapped. */
      gapMs,
      violations: violations as readonly Violation[],
      /** The smallest permitted gap, and what sets it. */
      requiredGapMs: null as number | null,
      requiredBy: null as PaceReason | null,
      /** What the host's robots.txt files require. */
      required: null as RequiredPace | null,
      pause: null as Pause | null,
    };
    if (run === null) {
      addViolation('log', 'no run line stands before it: what the run declares is not known');
      return result;
    }

    const ownAuthority = record.robotsAnswer?.authority ?? authorityOf(record.url);
    // Requirements of robots.txt files are stored by the server's clock: any machine may have requested the files.
    const byMs = aheadMs(clock);
    const inServerTime = { ...record, startedAtMs: startedAtMs + byMs, endedAtMs: endedAtMs + byMs };
    const required = await this.#requiredPace(pace, ownAuthority, startedAtMs, byMs, run);
    let earliest: Earliest = pace.earliest(run.pace, required);
    if (purpose === 'robots') {
      const retryAtMs = record.url === `${ownAuthority}/robots.txt` ? this.#robots.retryAtMs(ownAuthority) : null;
      if (retryAtMs !== null && retryAtMs - byMs > earliest.atMs)
        earliest = { atMs: retryAtMs - byMs, reason: 'robots-retry' };
    } else {
      if (required.closed !== null) addViolation('too-early', required.closed);
      const lastEndedServerMs = lastEndedAtMs === null ? null : lastEndedAtMs + byMs - errorMs;
      await this.#robots.check(inServerTime, ownAuthority, run, lastEndedServerMs, addViolation);
    }
    if (startedAtMs + this.#toleranceMs + errorMs < earliest.atMs)
      addViolation('too-early', earlyText(earliest.atMs - startedAtMs, earliest.reason, pace.pause));
    const { userAgent } = record;
    if (userAgent !== run.userAgent)
      addViolation(
        'wrong-identity',
        `it said ${JSON.stringify(userAgent)}, the run is ${JSON.stringify(run.userAgent)}`,
      );
    const concurrency = this.#concurrencyOf(part, purpose).add(startedAtMs, endedAtMs);
    if (concurrency > run.concurrency)
      addViolation('too-many-at-once', `${concurrency} requests were under way, the run declares ${run.concurrency}`);

    const pause = pace.addRequest(record, required);
    if (purpose === 'robots') this.#addRobotsAnswer(inServerTime, ownAuthority, run, addViolation);
    else if (record.status !== null) this.#robots.addHostAnswer(ownAuthority, inServerTime.endedAtMs, run);
    const requiredGapMs = lastEndedAtMs === null ? null : Math.max(0, earliest.atMs - lastEndedAtMs);
    const requiredBy = lastEndedAtMs === null ? null : earliest.reason;
    return { ...result, requiredGapMs, requiredBy, required, pause };
  }

  #paceOf(host: string): HostPace {
    const pace = this.#hosts.get(host) ?? new HostPace();
    if (!this.#hosts.delete(host)) this.hostCount += 1;
    this.#hosts.set(host, pace);
    if (forgetOldest(this.#hosts, MAX_AUDITED_HOSTS)) this.forgotten += 1;
    return pace;
  }

  /** Checks whether another host at the same address was being requested, or had been right before the run. */
  #checkAddress(
    { remoteAddress, startedAtMs, endedAtMs }: RequestRecord,
    { host, part, run, gapMs }: { host: string; part: number; run: RunDeclaration; gapMs: number | null },
    addViolation: AddViolation,
  ): void {
    const { perIp, minMs } = run.pace;
    if (remoteAddress === null || perIp === false) return;
    const last = this.#addresses.get(remoteAddress);
    if (last !== undefined) {
      if (perIp === true && startedAtMs < last.endedAtMs && gapMs !== null && gapMs >= 0)
        addViolation('overlapping', `another host at ${remoteAddress} was being requested`);
      // A process does not know what an earlier one requested, so every address rests first.
      const earlyMs = last.endedAtMs + minMs - startedAtMs;
      const isOfEarlierRun = last.part === part && last.endedAtMs <= run.startedAtMs;
      if (isOfEarlierRun && last.host !== host && earlyMs > this.#toleranceMs)
        addViolation('too-early', `it began ${earlyMs} ms too early after ${last.host}, which has the same address`);
    }
    if (last === undefined || last.endedAtMs <= endedAtMs)
      this.#addresses.set(remoteAddress, { host, part, endedAtMs });
    forgetOldest(this.#addresses, MAX_AUDITED_HOSTS);
  }

  /** What the host's files require; those of other authorities count once another request has come after theirs. */
  async #requiredPace(
    pace: HostPace,
    ownAuthority: string,
    atMs: number,
    byMs: number,
    run: RunDeclaration,
  ): Promise<RequiredPace> {
    const files = [];
    for (const authority of pace.authorities) {
      const known = await this.#robots.rulesOf(authority, run);
      if (known !== null && (authority === ownAuthority || known.sinceMs - byMs < (pace.lastStartedAtMs ?? 0)))
        files.push(known.rules);
    }
    return paceOf(files, atMs, run);
  }

  /** The file belongs to the authority's own host, whatever host its redirects led to. */
  #addRobotsAnswer(record: RequestRecord, authority: string, run: RunDeclaration, addViolation: AddViolation): void {
    if (!this.#robots.addAnswer(record, run)) {
      addViolation('log', 'a request for robots.txt does not say whose');
      return;
    }
    const authorities = this.#hosts.get(hostNameOf({ url: `${authority}/`, host: '' }, run))?.authorities;
    if (authorities !== undefined && authorities.size < MAX_AUTHORITIES_PER_HOST) authorities.add(authority);
  }

  /** A handler's own requests are counted separately. */
  #concurrencyOf(part: number, purpose: RequestRecord['purpose']): Concurrency {
    const key = `${part} ${/^(handler|subresource|requisite)$/.test(purpose)}`;
    const counter = this.#concurrency.get(key) ?? new Concurrency(MAX_AUDITED_CONCURRENCY);
    this.#concurrency.set(key, counter);
    return counter;
  }
}

/** The unit of spacing: the URL's own host name, or if spaced by domain, what the log says if that can be right. */
function hostNameOf({ url, host }: Pick<RequestRecord, 'url' | 'host'>, run: RunDeclaration | null): string {
  const name = parseUrl(url)?.hostname.replace(/\.$/, '') ?? host;
  return run?.hostKeyBy === 'domain' && name.endsWith(`.${host}`) && host !== '' ? host : name;
}

function authorityOf(url: string): string {
  const { protocol, hostname, port } = parseUrl(url) ?? { protocol: '', hostname: '', port: '' };
  return `${protocol}//${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}`;
}

/** The audit has its own parser call. One attempt: the platform's `canParse` is wrong for non-ASCII hosts. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The parser reports an invalid URL only by throwing.
  }
}

function earlyText(byMs: number, reason: PaceReason, pause: Pause | null): string {
  const because: Record<PaceReason, string> = {
    interval: "the run's own interval",
    'crawl-delay': "the host's Crawl-delay",
    'request-rate': "the host's Request-rate",
    pause: `a pause until ${pause === null ? '?' : `${iso(pause.untilMs)} (${pause.why})`}`,
    'robots-retry': 'the wait after an unreachable robots.txt',
  };
  return `it began ${byMs} ms too early for ${because[reason]}`;
}
