// The prices that sites ask for, added up exactly. If this breaks, a report names a sum that no site asked for.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HostPoliteness } from './crawl-report.js';
import { PriceSums, priceLines } from './price-sums.js';

const totalsOf = (...offers: readonly (readonly [reason: string, detail: string | null])[]) => {
  const prices = new PriceSums();
  for (const [reason, detail] of offers) prices.decision({ reason, detail });
  return prices.sums();
};
const paid = (text: string) => ['payment-required', `pay-per-crawl: ${text}`] as const;

it('are added up by currency, for refusals and for licences', () => {
  const held = ['license', 'payment 0.2 EUR: https://a.test/l.xml content[1]/license[1], for ai-train'] as const;
  expect(totalsOf(paid('USD 0.1'), paid('USD 0.2 (InvalidPrice)'), paid('EUR 5'), held)).toEqual([
    { currency: 'USD', amount: '0.3', pages: 2 },
    { currency: 'EUR', amount: '5.2', pages: 2 },
  ]);
});

it.each([
  ['payment-required', 'x402: 10000 0x8335 eip155:8453'],
  ['payment-required', 'pay-per-crawl: USD 1e3'],
  ['payment-required', 'pay-per-crawl: usd 1'],
  ['payment-required', 'pay-per-crawl: USD 1 and 2'],
  ['payment-required', null],
  ['license', 'terms: https://a.test/l.xml, for search'],
  ['status-404', 'pay-per-crawl: USD 1'],
])('are empty for %s with %j', (reason, detail) => expect(totalsOf([reason, detail])).toEqual([]));

it('are exact, whatever the amounts', () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 999_999_999 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(amounts, (parts) => {
      const sum = parts.reduce((all, part) => all + BigInt(part), 0n);
      const [{ amount = '' } = {}] = totalsOf(...parts.map((part) => paid(`USD 0.${String(part).padStart(9, '0')}`)));
      const [whole = '', fraction = ''] = amount.split('.');
      expect(BigInt(whole + fraction.padEnd(9, '0'))).toBe(sum);
    }),
  );
});

it('are bounded: a site that names a new currency on each page does not fill the report', () => {
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at));
  expect(totalsOf(...letters.map((letter) => paid(`XX${letter} 1`)))).toHaveLength(16);
});

it('are formatted for people, with pages and hosts', () => {
  const usd = (amount: string, pages: number) => ({ asked: [{ currency: 'USD', amount, pages }] });
  const hosts = [usd('0.36', 36), usd('0.01', 1), {}] as unknown as readonly HostPoliteness[];
  expect(priceLines(hosts)).toEqual(['Asked: 37 pages of 2 hosts ask 0.37 USD. Nothing was paid.']);
  expect(priceLines([{} as HostPoliteness])).toEqual([]);
});
