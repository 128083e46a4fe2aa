// A reason that is not in the table explains nothing.

import { describe, expect, it } from 'vitest';
import { REASONS, reasonOf } from './reasons.js';

describe('the table of reasons', () => {
  it.each(Object.entries(REASONS))(
    '%s has a description, a meaning and, unless fetched, a complete sentence',
    (_, reason) => {
      expect(reason.statuses.length).toBeGreaterThan(0);
      expect(reason.meaning).toMatch(/^[A-Zr].*\.$/);
      expect(reason.advice === '' || /^[A-Z].*\.$/.test(reason.advice)).toBe(true);
    },
  );

  it.each(Object.entries(REASONS))(
    '%s names no flag without the option or call of a program',
    (_, { advice: todo }) => {
      expect(todo.replaceAll(/`[^`]+` \(--[a-z-]+[^)]*\)/g, '')).not.toContain('--');
    },
  );

  // Only queued URLs return in the next run. `aborted` URLs go back to the queue.
  it.each(Object.entries(REASONS))(
    '%s mentions another run only if the URL is queued',
    (reason, { statuses, advice: todo }) => {
      if (!/run the (same )?crawl again/i.test(todo)) return;
      expect(reason === 'aborted' || statuses.some((status) => status === 'held')).toBe(true);
    },
  );

  it.each([
    ['robots-rule', 'excluded'],
    ['status-404', 'failed'],
    ['status-599', 'failed'],
  ])('%s is found', (reason, urlStatus) => {
    expect(reasonOf(reason)?.statuses).toContain(urlStatus);
  });

  it.each(['', 'nonsense', 'toString', '__proto__'])('"%s" is not a reason', (reason) => {
    expect(reasonOf(reason)).toBeNull();
  });
});
