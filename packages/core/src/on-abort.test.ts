// At stake: no waiting code is forgotten when a crawl stops at once, and code that no longer waits is not called.
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort } from './on-abort.js';

it('calls every callback once, and none that was removed', () => {
  const control = new AbortController();
  const called: string[] = [];
  const say = (): number => called.push('twice');
  onAbort(control.signal, say);
  onAbort(control.signal, say);
  const takeOff = onAbort(control.signal, () => called.push('never'));
  takeOff();
  takeOff();
  onAbort(control.signal, () => {
    called.push('last');
    onAbort(control.signal, () => called.push('too late'));
  });
  control.abort();
  expect(called).toEqual(['twice', 'twice', 'last']);
});

it('keeps one listener on a signal, however many wait', () => {
  const control = new AbortController();
  const offs = Array.from({ length: 50 }, () => onAbort(control.signal, () => undefined));
  for (const off of offs) off();
  onAbort(control.signal, () => undefined);
  expect(getEventListeners(control.signal, 'abort')).toHaveLength(1);
});
