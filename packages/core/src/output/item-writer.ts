// Items of one page to every sink, in the order of the sinks; a page counts as written when all of them have it.

import { MannerlyError } from '../errors.js';
import type { Item, Sink } from './sink.js';

/** Writes to all sinks of a run. */
export interface ItemWriter {
  open(): Promise<void>;
  /**
   * @throws MannerlyError `sink-failed`, naming the sink: the page is then not settled, and comes again with the same
   * item ids.
   */
  write(items: readonly Item[]): Promise<void>;
  close(): Promise<void>;
}

/** The sinks as one. Closing closes every sink that has opened, and reports the first that failed. */
export function createItemWriter(sinks: readonly Sink[]): ItemWriter {
  const opened: Sink[] = [];
  const forEach = async (what: string, act: (sink: Sink) => Promise<void>): Promise<void> => {
    for (const sink of sinks) {
      try {
        await act(sink);
      } catch (error) {
        throw new MannerlyError('sink-failed', `sink "${sink.name}" could not ${what}: ${String(error)}`, {
          cause: error,
        });
      }
    }
  };
  return {
    open: () =>
      forEach('open', async (sink) => {
        await sink.open();
        opened.push(sink);
      }),
    async write(items) {
      if (items.length > 0) await forEach('write', (sink) => sink.write(items));
    },
    async close() {
      const failures: unknown[] = [];
      for (const sink of opened) {
        try {
          await sink.close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0)
        throw new MannerlyError('sink-failed', `a sink could not close: ${String(failures[0])}`, {
          cause: failures[0],
        });
    },
  };
}
