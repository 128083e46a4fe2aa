// If a delay is read too short, or a window too wide, a host is visited faster than it asked, or at hours that it ruled
// out.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseCrawlDelay,
  parseRequestRate,
  parseVisitTimes,
  type RequestRate,
  rateInForce,
  visitState,
} from './politeness-fields.js';

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
const DAY_MS = 86_400_000;

describe('Crawl-delay (robots §9.1)', () => {
  const cases: [string, number | null, boolean][] = [
    ['10', 10_000, false],
    ['0', 0, false],
    ['1.1', 1100, false],
    ['2.01', 2010, false],
    ['0.0001', 1, false],
    ['1.000001', 1001, false],
    ['1.0000000000001', 1000, false],
    [',5', 500, false],
    ['0.5m', 30_000, true],
    ['1.5 hours', 5_400_000, true],
    ['60', 60_000, false],
    ['61', 61_000, false],
    ['86401', 86_400_000, false],
    ['9'.repeat(400), 86_400_000, false],
    ['5.', null, false],
    ['1d', null, false],
    ['5 10', null, false],
    ['١', null, false],
  ];
  it.each(cases)('reads %j as %j ms', (value, delayMs, hasUnit) => {
    const delay = parseCrawlDelay(value);
    expect(delay && { delayMs: delay.delayMs, hasUnit: delay.hasUnit }).toEqual(
      delayMs === null ? null : { delayMs, hasUnit },
    );
  });

  it('clamps to the operator’s bound', () => {
    expect(parseCrawlDelay('50', 30_000)).toEqual({ delayMs: 30_000, requiredMs: 50_000, hasUnit: false });
  });
});

describe('Request-rate (robots §9.2)', () => {
  const window = (startMinute: number, endMinute: number) => ({ startMinute, endMinute });
  const cases: [string, RequestRate | null][] = [
    ['1/s', { documents: 1, periodSeconds: 1, window: null }],
    ['2/1H', { documents: 2, periodSeconds: 3600, window: null }],
    ['1/d', { documents: 1, periodSeconds: 86_400, window: null }],
    ['1/5 0600-0845 UTC', { documents: 1, periodSeconds: 5, window: window(360, 525) }],
    ['1/5 06:00Z 08:45Z', { documents: 1, periodSeconds: 5, window: window(360, 525) }],
    ['0/0', null],
    ['1/5 2400-0100', null],
    ['1/5 0600-2401', null],
    ['1/5 0600-0700 0800-0900', null],
    ['1/1.5', null],
  ];
  it.each(cases)('reads %j', (value, rate) => {
    expect(parseRequestRate(value)).toEqual(rate);
  });

  const inForce = (lines: string[], time: string) =>
    rateInForce(
      lines.flatMap((line) => parseRequestRate(line) ?? []),
      at(time),
    );

  it('closes the host until the last minute of the zero window is over (R43, R44)', () => {
    expect(inForce(['0/1h 0800-1759'], '09:00:30')).toEqual({ kind: 'closed', untilMs: at('18:00:00') });
    expect(inForce(['0/1h 2200-0459'], '23:00:00')).toEqual({ kind: 'closed', untilMs: at('05:00:00') + DAY_MS });
  });

  it('lets a window override a zero without a window, and reports when it does', () => {
    expect(inForce(['0/1', '1/60 0300-0400'], '02:30:00')).toEqual({ kind: 'closed', untilMs: at('03:00:00') });
    expect(inForce(['0/1', '1/60 0300-0400'], '03:30:00')).toMatchObject({ kind: 'rate', intervalMs: 60_000 });
  });

  it('a window that never ends closes the host for a day at a time', () => {
    expect(inForce(['0/1'], '02:30:00')).toEqual({ kind: 'closed', untilMs: at('02:30:00') + DAY_MS });
  });

  it('the reported time of reopening is the first that is not closed', () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    const rate = fc.record({
      documents: fc.constantFrom(0, 0, 1),
      periodSeconds: fc.constant(60),
      window: fc.option(fc.record({ startMinute: minute, endMinute: fc.integer({ min: 0, max: 1440 }) })),
    });
    fc.assert(
      fc.property(fc.array(rate, { maxLength: 4 }), minute, (rates, now) => {
        const state = rateInForce(rates, now * 60_000);
        if (state.kind !== 'closed') return;
        const ahead = state.untilMs / 60_000 - now;
        for (let step = 0; step < ahead; step += 1) {
          expect(rateInForce(rates, (now + step) * 60_000).kind).toBe('closed');
        }
        if (ahead < 1440) expect(rateInForce(rates, state.untilMs).kind).not.toBe('closed');
      }),
    );
  });
});

describe('Visit-time (robots §9.3)', () => {
  const cases: [string, number[][], boolean][] = [
    ['0600-0845', [[360, 525]], false],
    ['0600 0845', [[360, 525]], false],
    [
      '0100-0200,1300-1400',
      [
        [60, 120],
        [780, 840],
      ],
      false,
    ],
    ['0600 0700-0800', [[420, 480]], true],
    [
      '0100-0200 rubbish 03:00 - 04:00 GMT',
      [
        [60, 120],
        [180, 240],
      ],
      true,
    ],
    ['0100-02000', [], true],
    ['', [], true],
    [
      '0600-0845 UTC, 2200-2400Z',
      [
        [360, 525],
        [1320, 1440],
      ],
      false,
    ],
  ];
  it.each(cases)('reads %j', (value, windows, hasInvalid) => {
    const expected = windows.map(([startMinute, endMinute]) => ({ startMinute, endMinute }));
    expect(parseVisitTimes(value)).toEqual({ windows: expected, hasInvalid });
  });

  const state = (value: string, time: string) => visitState(parseVisitTimes(value).windows, at(time));

  it('opens at the first minute and closes at the last, exclusive (R45)', () => {
    expect(state('0600-0845', '05:59:59')).toEqual({ kind: 'closed', opensAtMs: at('06:00:00') });
    expect(state('0600-0845', '06:00:00')).toEqual({ kind: 'open' });
    expect(state('0600-0845', '08:45:00')).toEqual({ kind: 'closed', opensAtMs: at('06:00:00') + DAY_MS });
  });

  it('joins adjacent windows, also over midnight (R46)', () => {
    expect(state('2200-2400 0000-0500', '23:59:59')).toEqual({ kind: 'open' });
    expect(state('2200-2400 0000-0500', '00:00:00')).toEqual({ kind: 'open' });
    expect(state('0000-1200 1200-2400', '12:00:00')).toEqual({ kind: 'open' });
  });
});

it('no value of a field throws or takes long', () => {
  const piece = fc.constantFrom('0600', '-', ' ', ',', '24:00', 'UTC', '1/5', '0/', 'm', '\t', '9', 'x', '.');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (value) => {
      parseCrawlDelay(value);
      parseRequestRate(value);
      parseVisitTimes(value);
    }),
  );
});
