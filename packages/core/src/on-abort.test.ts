// At stake: no waiting code is forgotten when a crawl stops at once, and code that no longer waits is not called.
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { abortedByEither, onAbort } from './on-abort.js';

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

it('aborts with either of two signals, and with neither after its release', () => {
  for (const at of [0, 1] as const) {
    const controls = [new AbortController(), new AbortController()] as const;
    const { signal } = abortedByEither(controls[0].signal, controls[1].signal);
    const released = abortedByEither(controls[0].signal, controls[1].signal);
    released.release();
    controls[at].abort('mine');
    expect([signal.aborted, signal.reason, released.signal.aborted]).toEqual([true, 'mine', false]);
    const late = abortedByEither(controls[0].signal, controls[1].signal);
    expect([late.signal.aborted, late.signal.reason]).toEqual([true, 'mine']);
  }
});

it('leaves no signal of either behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const lasting = new AbortController();
  const left = Array.from({ length: 10 }, () => waitedFor(lasting.signal));
  // A WeakRef keeps its target alive until the turn ends.
  await new Promise(setImmediate);
  collect();
  expect(left.filter((signal) => signal.deref() !== undefined)).toEqual([]);
  expect(lasting.signal.aborted).toBe(false);
});

/** A call of its own, so that no live stack frame holds the signal. */
function waitedFor(lasting: AbortSignal): WeakRef<AbortSignal> {
  const { signal, release } = abortedByEither(lasting, new AbortController().signal);
  onAbort(signal, () => undefined)();
  release();
  return new WeakRef(signal);
}
