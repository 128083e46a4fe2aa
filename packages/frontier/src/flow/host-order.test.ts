// Night at a host, guessed from its name. At stake: a preference for the wrong hosts.

import { describe, expect, it } from 'vitest';
import { QuietHours } from './host-order.js';

const utc = (hour: number, minute = 0, month = 0): number => Date.UTC(2026, month, 15, hour, minute);

describe('night at a host', () => {
  it.each([
    ['a.de', utc(0), true],
    ['a.de', utc(4, 59), true],
    ['a.de', utc(5), false],
    ['a.de', utc(23, 59), false],
    // In summer.
    ['a.de', utc(23, 0, 6), true],
    ['a.co.uk', utc(1), true],
    ['a.co.uk:8080', utc(6), false],
    ['a.jp', utc(17), true],
    ['a.in', utc(20), true],
    // It is never night in all of its time zones.
    ['a.ru', utc(0), false],
    ['a.com', utc(3), false],
    ['a.io', utc(3), false],
    ['a.xx', utc(3), false],
    ['127.0.0.1', utc(3), false],
    ['localhost', utc(3), false],
  ])('%s at %d: %s', (host, nowMs, isNight) => {
    expect(new QuietHours().isNight(host, nowMs)).toBe(isNight);
  });

  it('changes while the host is remembered', () => {
    const hours = new QuietHours();
    const nights = Array.from({ length: 24 * 4 }, (_, quarter) => hours.isNight('a.de', utc(0) + quarter * 900_000));
    expect(nights.filter(Boolean)).toHaveLength(5 * 4);
  });
});
