// A reader of the live view that stops reading must cost one frame of memory, and then lose its connection. Other
// readers must not notice.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { DASHBOARD_STALL_MS, MAX_DASHBOARD_STREAMS } from './limits.js';
import { createStreams, frameOf, type StreamTarget } from './streams.js';

/** A reader that reads on request. */
function reader() {
  const emitter = new EventEmitter();
  const written: string[] = [];
  const state = { written, isFull: false, isDestroyed: false, isEnded: false };
  const target = {
    write(frame: string) {
      written.push(frame);
      return !state.isFull;
    },
    end() {
      state.isEnded = true;
    },
    destroy() {
      state.isDestroyed = true;
      emitter.emit('close');
    },
    on: (event: string, listener: () => void) => emitter.on(event, listener),
    get writableNeedDrain() {
      return state.isFull;
    },
  } as unknown as StreamTarget;
  return { target, state, emitter };
}

describe('streams', () => {
  it('skips a reader that has not read the last frame, and disconnects it after a while', () => {
    let now = 0;
    const streams = createStreams(() => now);
    const quick = reader();
    const slow = reader();
    streams.add(quick.target);
    streams.add(slow.target);
    streams.send('view', '1');
    slow.state.isFull = true;
    streams.send('view', '2');
    now += DASHBOARD_STALL_MS - 1;
    streams.send('view', '3');
    expect([slow.state.written.length, slow.state.isDestroyed]).toEqual([1, false]);
    now += 1;
    streams.send('view', '4');
    expect([slow.state.written.length, slow.state.isDestroyed, streams.count()]).toEqual([1, true, 1]);
    expect(quick.state.written).toHaveLength(4);
  });

  it('keeps a reader that reads again in time', () => {
    let now = 0;
    const streams = createStreams(() => now);
    const { target, state } = reader();
    streams.add(target);
    for (let round = 0; round < 5; round += 1) {
      state.isFull = true;
      streams.send('view', 'x');
      now += DASHBOARD_STALL_MS - 1;
      state.isFull = false;
      streams.send('view', 'x');
    }
    expect([state.isDestroyed, state.written.length]).toEqual([false, 5]);
  });

  it('accepts a few, and another in place of one that left', () => {
    const streams = createStreams(() => 0);
    const readers = Array.from({ length: MAX_DASHBOARD_STREAMS }, reader);
    expect(readers.every(({ target }) => streams.add(target))).toBe(true);
    expect(streams.add(reader().target)).toBe(false);
    readers[0]!.emitter.emit('error', new Error('gone'));
    expect(streams.add(reader().target)).toBe(true);
    streams.close();
    expect([readers[1]!.state.isEnded, streams.count()]).toEqual([true, 0]);
  });

  it.each([
    ['view', '{"a":1}', 'event: view\ndata: {"a":1}\n\n'],
    ['view', 'a\n\nevent: stop', 'event: view\ndata: a\ndata: \ndata: event: stop\n\n'],
    ['view', 'a\rb\r\nc', 'event: view\ndata: a\ndata: b\ndata: c\n\n'],
    ['vi\new', 'x', 'event: view\ndata: x\n\n'],
  ])('%j with %j is one event', (event, data, frame) => {
    expect(frameOf(event, data)).toBe(frame);
  });
});
