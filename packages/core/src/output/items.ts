// The items of a page, each with an id that stays the same when the page is handled again, and their way to every sink,
// in the order of the sinks. A page counts as written when all sinks have its items.

import { hash } from 'node:crypto';
import type { Clock, JsonValue } from '@mannerly/frontier';
import PQueue from 'p-queue';
import { isError, MannerlyError, textOf } from '../errors.js';
import type { ItemLicense } from '../item-license.js';
import { onAbort } from '../on-abort.js';
import { MAX_CONCURRENT_FILES, SINK_CLOSE_MS, SINK_STOP_MS } from './limits.js';
import type { BatchedSink } from './page-batches.js';
import type { Item, RunFile, Sink } from './sink.js';

/** Codes of a sink that cannot be opened as it is configured: its error is that of the run, as it is. */
const CALLERS_MISTAKES: ReadonlySet<string> = new Set(['peer-missing', 'option-invalid']);

/**
 * The items of one page, in order. Ids come from the URL and not from the frontier's entry id: a crawl that starts over
 * in its old directory would give that id to another page, whose items would then count as written. A later visit of
 * the page has its number in the id, since its items are new.
 * @param processed - What stages made of each item. An id names what was emitted: dropping one changes no other id,
 * and the second of several ends in `.1`.
 */
export function itemsOf(
  host: string,
  page: Pick<Item, 'url' | 'fetchedAtMs'> & {
    readonly visit: number;
    readonly exclusion: Pick<Item, 'expiresAtMs' | 'preferences'>;
    readonly license?: ItemLicense | null;
  },
  emitted: readonly JsonValue[],
  processed: readonly (readonly JsonValue[])[] | null = null,
): Item[] {
  const { url, fetchedAtMs } = page;
  const { expiresAtMs, preferences } = page.exclusion;
  if (emitted.length === 0) return [];
  const key = keyOf(host, page);
  const license = page.license == null ? {} : { license: page.license };
  const known = { url, fetchedAtMs, expiresAtMs, preferences, ...license };
  return (processed ?? emitted.map((data) => [data])).flatMap((items, at) =>
    items.map((data, part) => ({ id: `${key}/${at}${part === 0 ? '' : `.${part}`}`, data, ...known })),
  );
}

/** States that the page's items so far may no longer be kept. @param visit - The visit that found this out. */
export function tombstone(
  host: string,
  page: Pick<Item, 'url' | 'fetchedAtMs'> & { readonly visit: number },
  removed: string,
): Item {
  const { url, fetchedAtMs } = page;
  const id = `${keyOf(host, page)}/${TOMBSTONE}`;
  return { id, url, fetchedAtMs, data: { removed }, expiresAtMs: null, preferences: {}, removed };
}

/** The last part of a tombstone's id, in place of an item's number. */
const TOMBSTONE = 'removed';

/** The parts of an id; `null` if it is not from a crawl. */
export function readItemId(
  id: string,
): { readonly page: string; readonly visit: number; readonly isTombstone: boolean } | null {
  const [, page, visit = '0', last] = /^([^/]+\/[0-9a-f]+)(?:\/(\d+))?\/(\d+(?:\.\d+)?|removed)$/.exec(id) ?? [];
  return page === undefined ? null : { page, visit: Number(visit), isTombstone: last === TOMBSTONE };
}

function keyOf(host: string, { url, visit }: { readonly url: string; readonly visit: number }): string {
  return `${host}/${hash('sha256', url, 'hex').slice(0, ITEM_KEY_CHARS)}${visit === 0 ? '' : `/${visit}`}`;
}

/** Hex digits of the URL's hash: with a million pages on one host, the chance of a collision is 3 in 10^8. */
const ITEM_KEY_CHARS = 16;

interface ItemWriterOptions {
  /** Called with what a sink threw, before it is rethrown, and the page of its items. @default nothing */
  readonly onFailure?: (thrown: unknown, url: string | null) => void;
  /** Aborted when the work is stopped at once; `clock` measures how long a sink may then continue, or close. */
  readonly stop: { readonly signal: AbortSignal; readonly clock: Pick<Clock, 'after'> };
}

export class ItemWriter {
  readonly #sinks: readonly Sink[];
  readonly #opened: Sink[] = [];
  readonly #options: ItemWriterOptions;

  constructor(sinks: readonly Sink[], options: ItemWriterOptions) {
    this.#sinks = sinks;
    this.#options = options;
  }

  /** @throws MannerlyError `sink-failed`, naming the sink; `peer-missing`. */
  async open(): Promise<void> {
    for (const sink of this.#sinks) {
      const open = async (): Promise<void> => {
        if (!(await this.#endsInTime(() => sink.open(this.#options.stop.signal)))) throw new Error(NOT_ENDED);
      };
      await this.#wrapErrors(sink, 'open', null, open);
      this.#opened.push(sink);
    }
  }

  /**
   * The page is settled only after `written`; otherwise it is handled again, with the same item ids.
   * @returns `stopped`: the work was stopped at once, and a sink had not finished after `SINK_STOP_MS`.
   * @throws MannerlyError `sink-failed`
   */
  async write(items: readonly Item[]): Promise<'written' | 'stopped'> {
    if (items.length === 0) return 'written';
    const url = items[0]?.url ?? null;
    for (const sink of this.#sinks) {
      if (await this.#wrapErrors(sink, 'write', url, () => this.#endsInTime(() => sink.write(items)))) continue;
      this.#options.onFailure?.(new Error(`sink "${sink.name}" did not write the items: ${NOT_ENDED}`), url);
      return 'stopped';
    }
    return 'written';
  }

  /** The sinks that left out items because they had them when the run began, with the number of these items. */
  knownItems(): { readonly sink: string; readonly items: number }[] {
    const known = (sink: Sink | BatchedSink): number => ('knownItems' in sink ? sink.knownItems() : 0);
    const counts = this.#sinks.map((sink) => ({ sink: sink.name, items: known(sink) }));
    return counts.filter(({ items }) => items > 0);
  }

  /**
   * Closes every sink that was opened. Each has `SINK_CLOSE_MS`, and `SINK_STOP_MS` after a stop at once.
   * @throws MannerlyError `sink-failed` for the first that failed or did not finish in time.
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const sink of this.#opened) {
      const close = async (): Promise<void> => {
        if (await this.#endsInTime(() => sink.close(), SINK_CLOSE_MS)) return;
        throw new Error(
          this.#options.stop.signal.aborted ? NOT_ENDED : `it had not ended ${SINK_CLOSE_MS / 60_000} minutes later`,
        );
      };
      await this.#wrapErrors(sink, 'close', null, close).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Passes the files of a run to the sinks that keep files.
   * @throws MannerlyError `sink-failed` for the first that failed, after the others.
   */
  async keepFiles(files: AsyncIterable<RunFile>): Promise<void> {
    const fileSinks = this.#opened.filter(({ keepFile }) => keepFile !== undefined);
    if (fileSinks.length === 0) return;
    const queue = new PQueue({ concurrency: MAX_CONCURRENT_FILES });
    const failures: unknown[] = [];
    for await (const file of files) {
      await queue.onSizeLessThan(1);
      if (failures.length > 0) break;
      for (const sink of fileSinks) {
        const keep = async (): Promise<void> => sink.keepFile?.(file, this.#options.stop.signal);
        queue
          .add(() => this.#wrapErrors(sink, 'keep a file', null, keep))
          .catch((error: unknown) => failures.push(error));
      }
    }
    await queue.onIdle();
    if (failures.length > 0) throw failures[0];
  }

  /**
   * @param timeoutMs - The longest time that `act` may take. @default none
   * @returns `false`: it had not finished by then, or `SINK_STOP_MS` after a stop at once.
   */
  async #endsInTime(act: () => Promise<void>, timeoutMs?: number): Promise<boolean> {
    const { stop } = this.#options;
    // A sink written in JavaScript may return nothing.
    const pending = (async () => act())().then(() => true);
    const cleanups: (() => void)[] = [];
    const timedOut = new Promise<false>((resolve) => {
      const endIn = (ms: number): void => void cleanups.push(stop.clock.after(ms, () => resolve(false)));
      if (stop.signal.aborted) endIn(SINK_STOP_MS);
      else {
        cleanups.push(onAbort(stop.signal, () => endIn(SINK_STOP_MS)));
        if (timeoutMs !== undefined) endIn(timeoutMs);
      }
    });
    return Promise.race([pending, timedOut]).finally(() => {
      for (const each of cleanups) each();
    });
  }

  async #wrapErrors<T>(
    sink: Sink,
    what: 'open' | 'write' | 'close' | 'keep a file',
    url: string | null,
    act: () => Promise<T>,
  ): Promise<T> {
    try {
      return await act();
    } catch (cause) {
      if (cause instanceof MannerlyError && CALLERS_MISTAKES.has(cause.code)) throw cause;
      this.#options.onFailure?.(cause, url);
      throw new MannerlyError('sink-failed', `sink "${sink.name}" could not ${what}: ${textOf(cause)}`, {
        cause,
        ...hintFor(cause),
      });
    }
  }
}

/** The command has hints of its own for system errors, such as a full disk. */
function hintFor(cause: unknown): { readonly hint?: string } {
  if (cause instanceof MannerlyError && cause.hint !== null) return { hint: cause.hint };
  if (isError(cause) && 'syscall' in cause) return {};
  return { hint: 'Its pages are not done: fix the cause, and run the same crawl again.' };
}

const NOT_ENDED = `it had not ended ${SINK_STOP_MS / 1_000} s after a stop at once`;
