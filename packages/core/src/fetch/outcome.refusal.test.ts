// Prices and challenges: how each answer is classified, whatever bytes it has.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_REFUSAL_DETAIL } from './limits.js';
import { refusalOf } from './outcome.js';

const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = '') =>
  refusalOf({ status, headers: Object.entries(headers), body: Buffer.from(body) });
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const entry = { scheme: 'exact', network: 'eip155:8453', amount: '10000', asset: '0x8335', payTo: '0x20' };

describe('a 402', () => {
  it.each([
    [{ 'crawler-price': 'USD 0.01' }, '', 'pay-per-crawl: USD 0.01'],
    [{ 'crawler-price': 'USD 0.01', 'crawler-error': 'InvalidPrice' }, '', 'pay-per-crawl: USD 0.01 (InvalidPrice)'],
    [{ 'PAYMENT-REQUIRED': encoded({ x402Version: 2, accepts: [entry] }) }, '', 'x402: 10000 0x8335 eip155:8453'],
    [
      {},
      JSON.stringify({ x402Version: 1, accepts: [{ ...entry, amount: undefined, maxAmountRequired: '5' }] }),
      'x402-v1: 5 0x8335 eip155:8453',
    ],
    [{ 'WWW-Authenticate': 'License error="invalid_token"' }, '', 'rsl: License error="invalid_token"'],
    [
      { 'WWW-Authenticate': 'License', Link: '<https://x.example/l.xml>; rel="license"; type="application/rsl+xml"' },
      '',
      'rsl: License, <https://x.example/l.xml>; rel="license"; type="application/rsl+xml"',
    ],
    [{ 'WWW-Authenticate': 'Payment realm="x"' }, '<p>Pay</p>', 'unknown: Payment realm="x"'],
    [{ 'PAYMENT-REQUIRED': 'no base64 {' }, '', 'unknown'],
    [{ 'PAYMENT-REQUIRED': encoded(null) }, '[]', 'unknown'],
    [{}, '{"accepts":[null,7,{}]}', 'unknown'],
  ])('with %j says what it asks for', (headers, body, detail) => {
    expect(answer(402, headers as Record<string, string>, body)).toEqual({ reason: 'payment-required', detail });
  });

  it('has a short detail, whatever it says', () => {
    const many = encoded({ accepts: Array.from({ length: 100 }, () => entry) });
    expect(answer(402, { 'payment-required': many })?.detail.length).toBeLessThanOrEqual(MAX_REFUSAL_DETAIL);
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (price, challenge, value) => {
        const headers = { 'crawler-price': price, 'www-authenticate': challenge };
        expect(answer(402, headers)?.detail.length).toBeLessThanOrEqual(MAX_REFUSAL_DETAIL);
        expect(answer(402, {}, JSON.stringify(value))?.reason).toBe('payment-required');
        expect(answer(402, { 'payment-required': encoded({ accepts: value }) })?.reason).toBe('payment-required');
      }),
      { seed: 402 },
    );
  });
});

it.each([
  [403, { 'cf-mitigated': 'challenge' }, 'challenged'],
  [503, { 'CF-Mitigated': 'Challenge' }, 'challenged'],
  [202, { 'x-amzn-waf-action': 'challenge' }, 'challenged'],
  [200, { 'cf-mitigated': 'challenge' }, undefined],
  [202, { 'x-amzn-waf-action': 'count' }, undefined],
  [202, {}, undefined],
  [403, { 'crawler-error': 'CrawlerForbidden' }, undefined],
  [401, { 'WWW-Authenticate': 'License error="invalid_token"' }, 'payment-required'],
  [401, { 'WWW-Authenticate': 'Basic realm="License"' }, undefined],
  [403, { 'WWW-Authenticate': 'License error="insufficient_scope"' }, undefined],
  [200, { 'crawler-price': 'USD 0.01' }, undefined],
])('%i with %j is %s', (status, headers, reason) => {
  expect(answer(status, headers as Record<string, string>)?.reason).toBe(reason);
});
