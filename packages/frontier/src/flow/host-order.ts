// Which due host goes first when weights or quiet hours decide it.
//
// With weights (weighted fair queueing): each host has a virtual time, and a turn advances it by 1 / weight. The host
// with the lowest virtual time goes first. So if the crawl cannot serve all due hosts, a host of weight 3 gets three
// turns while one of weight 1 gets one. If it can, weights change nothing. A new host starts one turn behind the common
// virtual time, which every turn advances by its share of all weights, so new hosts cannot keep others waiting for
// ever. A host that politeness delayed may catch up one turn. Virtual times are in memory: they start anew after a
// restart and in each process.
//
// With quiet hours, hosts where it is night go before all others.

import type { LeasedHost } from '../hosts/leased-host.js';
import type { ResolvedFrontierOptions } from '../options/options.js';

/** How far the virtual time of a host may lag behind, in turns of weight 1. */
const MAX_CREDIT_TURNS = 1;
/** Greater than any time that hosts are compared by, and small enough to keep a precision of hundredths. */
const NIGHT_ADVANTAGE = 1e13;
/** The hours of a night: from the first, before the last. */
const FIRST_HOUR = 1;
const LAST_HOUR = 6;
const QUARTER_MS = 15 * 60_000;

/** Country domains that are used worldwide, and domains that are no country. */
const WORLDWIDE_DOMAINS: ReadonlySet<string> = new Set(
  'ac ai cc co eu fm gg im io la ly me nu sh st to tv ws'.split(' '),
);

export class HostOrder {
  readonly #settings: Pick<ResolvedFrontierOptions, 'isWeighted' | 'labels' | 'politeness'>;
  readonly #quietHours: QuietHours | null;
  /** The common virtual time. */
  #virtualTime = 0;
  /** The sum of the weights that all leased hosts had at their last turns. */
  #totalWeight = 0;

  constructor(settings: Pick<ResolvedFrontierOptions, 'isWeighted' | 'labels' | 'politeness'>) {
    this.#settings = settings;
    this.#quietHours = settings.politeness.quietHours === 'prefer' ? new QuietHours() : null;
  }

  /** The value by which due hosts are compared: the lowest goes first. @param dueAtMs - Epoch milliseconds. */
  rank(host: LeasedHost, dueAtMs: number, nowMs: number): number {
    const rank = this.#settings.isWeighted ? host.virtualTime : dueAtMs;
    return this.#quietHours?.isNight(host.key, nowMs) === true ? rank - NIGHT_ADVANTAGE : rank;
  }

  add(host: LeasedHost): void {
    this.#setWeight(host, host.settings.weight);
    host.virtualTime = this.#virtualTime + 1 / host.settings.weight;
  }

  /** The host is no longer leased. A second call does nothing. */
  remove(host: LeasedHost): void {
    this.#setWeight(host, 0);
  }

  /** The host has had a turn. @param label - Of the URL; `null`: none. */
  recordTurn(host: LeasedHost, label: string | null): void {
    const weight = host.settings.weight * (this.#settings.labels.get(label ?? '')?.weight ?? 1);
    this.#setWeight(host, weight);
    this.#virtualTime = Math.max(this.#virtualTime + 1 / this.#totalWeight, host.virtualTime);
    host.virtualTime = Math.max(host.virtualTime, this.#virtualTime - MAX_CREDIT_TURNS) + 1 / weight;
  }

  #setWeight(host: LeasedHost, weight: number): void {
    this.#totalWeight += weight - host.turnWeight;
    host.turnWeight = weight;
  }
}

/**
 * When the people of a site sleep, as far as its name tells: between one and six in every time zone of the country of
 * its top-level domain (specification, identity 11, DECISION I14). Remembers the result for each country for a quarter
 * of an hour.
 */
export class QuietHours {
  /** By domain of two letters: at most 676. */
  readonly #known = new Map<string, { readonly isNight: boolean; readonly untilMs: number }>();

  /** Whether it is night at a host. `false`: its name does not tell. @param nowMs - Epoch milliseconds. */
  isNight(host: string, nowMs: number): boolean {
    const [, domain = ''] = /\.([a-z]{2})(?::\d+)?$/.exec(host) ?? [];
    if (domain === '' || WORLDWIDE_DOMAINS.has(domain)) return false;
    const cached = this.#known.get(domain);
    if (cached !== undefined && nowMs < cached.untilMs) return cached.isNight;
    const hours = zonesOf(domain === 'uk' ? 'GB' : domain.toUpperCase()).map((zone) => hourIn(zone, nowMs));
    const isNight = hours.length > 0 && hours.every((hour) => hour >= FIRST_HOUR && hour < LAST_HOUR);
    this.#known.set(domain, { isNight, untilMs: nowMs - (nowMs % QUARTER_MS) + QUARTER_MS });
    return isNight;
  }
}

/** The time zones of a country; empty if the region is not a country. */
function zonesOf(region: string): readonly string[] {
  try {
    const locale = new Intl.Locale(`und-${region}`) as Intl.Locale & {
      readonly timeZones?: readonly string[];
      getTimeZones?(): readonly string[] | undefined;
    };
    return locale.getTimeZones?.() ?? locale.timeZones ?? [];
  } catch {
    return [];
  }
}

function hourIn(timeZone: string, nowMs: number): number {
  return Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(nowMs));
}
