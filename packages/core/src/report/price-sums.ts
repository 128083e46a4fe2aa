// The prices that pages ask for, by currency. Amounts are decimal text, never floating-point, and are never added
// across currencies (licensing §11). Nothing is ever paid.

import type { AskedPrice, HostPoliteness } from './crawl-report.js';
import type { UrlDecision } from './decision.js';
import { MAX_CURRENCIES } from './limits.js';
import { plural } from './table.js';

/** Digits after the point that are read. */
const DIGITS = 9;
/** A 402 that names a price, and a licence that does. */
const OFFERS = [
  /^pay-per-crawl: (?<currency>[A-Z]{3}) (?<amount>\d{1,15}(?:\.\d{1,9})?)(?: \(|$)/,
  /^payment (?<amount>\d{1,15}(?:\.\d{1,9})?) (?<currency>[A-Z]{3}): /,
];

export class PriceSums {
  readonly #sums = new Map<string, { units: bigint; pages: number }>();

  decision({ reason, detail }: Pick<UrlDecision, 'reason' | 'detail'>): void {
    if (detail === null || (reason !== 'payment-required' && reason !== 'license')) return;
    const { currency, amount } = OFFERS.map((offer) => offer.exec(detail)?.groups).find((found) => found) ?? {};
    if (currency === undefined || amount === undefined) return;
    this.#add(currency, unitsOf(amount), 1);
  }

  add(asked: readonly AskedPrice[]): void {
    for (const { currency, amount, pages } of asked) this.#add(currency, unitsOf(amount), pages);
  }

  sums(): AskedPrice[] {
    return [...this.#sums].map(([currency, { units, pages }]) => ({ currency, amount: amountText(units), pages }));
  }

  #add(currency: string, units: bigint, pages: number): void {
    const sum = this.#sums.get(currency) ?? { units: 0n, pages: 0 };
    if (sum.pages === 0 && this.#sums.size >= MAX_CURRENCIES) return;
    this.#sums.set(currency, { units: sum.units + units, pages: sum.pages + pages });
  }
}

/** A line for each currency: how many pages of how many hosts ask how much. */
export function priceLines(hosts: readonly HostPoliteness[]): string[] {
  const all = new PriceSums();
  for (const { asked = [] } of hosts) all.add(asked);
  return all.sums().map(({ currency, amount, pages }) => {
    const hostCount = hosts.filter(({ asked = [] }) => asked.some((each) => each.currency === currency)).length;
    const verb = pages === 1 ? 'asks' : 'ask';
    return `Asked: ${plural(pages, 'page')} of ${plural(hostCount, 'host')} ${verb} ${amount} ${currency}. Nothing was paid.`;
  });
}

function unitsOf(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(DIGITS, '0'));
}

function amountText(units: bigint): string {
  const digits = String(units).padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, '');
}
