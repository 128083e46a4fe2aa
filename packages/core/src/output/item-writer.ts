// Items of one page to every sink, in the order of the sinks. A page counts as written when all of them have it.

import { MannerlyError } from '../errors.js';
import type { Item, Sink } from './sink.js';

/** Gets to know what a sink threw, and the page whose items it was writing. */
type SinkFailed = (thrown: unknown, url: string | null) => void;

/** The sinks of a run as one. */
export class ItemWriter {
  readonly #sinks: readonly Sink[];
  readonly #opened: Sink[] = [];
  readonly #onFailure: SinkFailed;

  /** @param onFailure - Called with what a sink threw, before it is passed on. @default nothing */
  constructor(sinks: readonly Sink[], onFailure: SinkFailed = () => undefined) {
    this.#sinks = sinks;
    this.#onFailure = onFailure;
  }

  /** @throws MannerlyError `sink-failed`, naming the sink. */
  async open(): Promise<void> {
    for (const sink of this.#sinks) {
      await this.#named(sink, 'open', null, () => sink.open());
      this.#opened.push(sink);
    }
  }

  /** @throws MannerlyError `sink-failed`: the page is not settled then, and comes again with the same item ids. */
  async write(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    for (const sink of this.#sinks) await this.#named(sink, 'write', items[0]?.url ?? null, () => sink.write(items));
  }

  /** Closes every sink that has opened. @throws MannerlyError `sink-failed` for the first that failed. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const sink of this.#opened) {
      await this.#named(sink, 'close', null, () => sink.close()).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #named(
    sink: Sink,
    what: 'open' | 'write' | 'close',
    url: string | null,
    act: () => Promise<void>,
  ): Promise<void> {
    try {
      await act();
    } catch (cause) {
      this.#onFailure(cause, url);
      throw new MannerlyError('sink-failed', `sink "${sink.name}" could not ${what}: ${String(cause)}`, { cause });
    }
  }
}
