// When the people of a site sleep, as far as its name tells: between one and six in every time zone of the country of
// its top-level domain (specification, identity 11, DECISION I14). It affects only the order of hosts.

import { MAX_QUIET_REGIONS } from './limits.js';

const FIRST_HOUR = 1;
const LAST_HOUR = 6;
const QUARTER_MS = 15 * 60_000;

/** Country domains that are used worldwide, and domains that are no country. */
const WORLDWIDE_DOMAINS: ReadonlySet<string> = new Set(
  'ac ai cc co eu fm gg im io la ly me nu sh st to tv ws'.split(' '),
);

/** Remembers the result for each country for a quarter of an hour. */
export class QuietHours {
  readonly #known = new Map<string, { readonly isNight: boolean; readonly untilMs: number }>();

  /** Whether it is night at a host. `false`: its name does not tell. @param nowMs - Epoch milliseconds. */
  isNight(host: string, nowMs: number): boolean {
    const [, domain = ''] = /\.([a-z]{2})(?::\d+)?$/.exec(host) ?? [];
    if (domain === '' || WORLDWIDE_DOMAINS.has(domain)) return false;
    const cached = this.#known.get(domain);
    if (cached !== undefined && nowMs < cached.untilMs) return cached.isNight;
    const hours = zonesOf(domain === 'uk' ? 'GB' : domain.toUpperCase()).map((zone) => hourIn(zone, nowMs));
    const isNight = hours.length > 0 && hours.every((hour) => hour >= FIRST_HOUR && hour < LAST_HOUR);
    if (this.#known.size >= MAX_QUIET_REGIONS) this.#known.clear();
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
