// The open streams of server-sent events: few, with at most one buffered frame each. A client that reads too slowly
// misses frames, then loses its connection.

import type { ServerResponse } from 'node:http';
import { DASHBOARD_STALL_MS, MAX_DASHBOARD_STREAMS } from './limits.js';

export type StreamTarget = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'on' | 'writableNeedDrain'>;

/** Makes the streams of a server. @param nowMs - Milliseconds of any clock that only goes forward. @throws Never */
export function createStreams(nowMs: () => number) {
  const open = new Map<StreamTarget, { stalledSinceMs: number | null }>();
  return {
    /** Adds a stream whose header section has been sent. @returns `false` if there are too many; it was not added. */
    add(target: StreamTarget): boolean {
      if (open.size >= MAX_DASHBOARD_STREAMS) return false;
      open.set(target, { stalledSinceMs: null });
      target.on('close', () => open.delete(target));
      target.on('error', () => open.delete(target));
      return true;
    },
    /** Sends one frame to every client that has read the last one; a client that has not for long is disconnected. */
    send(event: string, data: string): void {
      for (const [target, state] of open) {
        if (!target.writableNeedDrain) {
          state.stalledSinceMs = null;
          target.write(frameOf(event, data));
          continue;
        }
        state.stalledSinceMs ??= nowMs();
        if (nowMs() - state.stalledSinceMs < DASHBOARD_STALL_MS) continue;
        open.delete(target);
        target.destroy();
      }
    },
    count: () => open.size,
    close(): void {
      for (const target of open.keys()) target.end();
      open.clear();
    },
  };
}

/** One event. A line break in its data would begin another field, so each line is its own field. */
export function frameOf(event: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${event.replace(/[^\w-]/g, '')}\n${lines.join('')}\n`;
}
