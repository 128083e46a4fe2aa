// Items of one page to every sink, in the order of the sinks. A page counts as written when all of them have it.

import { MannerlyError } from '../errors.js';
import type { Item, Sink } from './sink.js';

/** The sinks of a run as one. */
export class ItemWriter {
  readonly #sinks: readonly Sink[];
  readonly #opened: Sink[] = [];

  constructor(sinks: readonly Sink[]) {
    this.#sinks = sinks;
  }

  /** @throws MannerlyError `sink-failed`, naming the sink. */
  async open(): Promise<void> {
    for (const sink of this.#sinks) {
      await named(sink, 'open', () => sink.open());
      this.#opened.push(sink);
    }
  }

  /** @throws MannerlyError `sink-failed`: the page is not settled then, and comes again with the same item ids. */
  async write(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    for (const sink of this.#sinks) await named(sink, 'write', () => sink.write(items));
  }

  /** Closes every sink that has opened. @throws MannerlyError `sink-failed` for the first that failed. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const sink of this.#opened) {
      await named(sink, 'close', () => sink.close()).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

async function named(sink: Sink, what: 'open' | 'write' | 'close', act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    throw new MannerlyError('sink-failed', `sink "${sink.name}" could not ${what}: ${String(cause)}`, { cause });
  }
}
