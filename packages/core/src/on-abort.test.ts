// What is at stake: no one who waits is forgotten when a crawl stops at once, and who no longer waits is not called.
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort } from './on-abort.js';

it('calls everybody who waits, once, and no one who was taken off', () => {
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
