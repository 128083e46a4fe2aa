// What a handler does with its page, set aside until the handler has ended: then all of it counts, or, if the handler
// threw or took too long, none of it. Items are checked against the schema of their route, and rejected ones are listed
// with their issues. A call that fails is thrown in the handler that awaits it. If nothing awaits it, its failure would
// be lost silently, or would end the process under Node.js, so it is set aside too.

import type { JsonValue, NewUrl } from '@mannerly/frontier';
import { MannerlyError, textOf } from '../errors.js';
import type { FetchedPage } from '../page/page.js';
import type { HandledPage } from './handled-page.js';
import { MAX_FAILED_CALLS, MAX_ITEM_CHARS, MAX_PAGE_ITEMS, MAX_PAGE_REJECTED, MAX_REJECTED_CHARS } from './limits.js';
import { checkValue, type Schema, type SchemaIssue, type SchemaResult } from './schema.js';

/** The result of `emit`. */
export type EmittedItem = Awaited<ReturnType<HandledPage['emit']>>;

/** One line of `rejected.jsonl`. */
export interface RejectedItem {
  /** The page that it was emitted for. */
  readonly url: string;
  readonly visit: number;
  /** Epoch milliseconds of the page's last byte. */
  readonly fetchedAtMs: number;
  /** What the schema found, at most 20. */
  readonly issues: readonly SchemaIssue[];
  /** The emitted value; `null` if it is not JSON, or longer than 65,536 characters. */
  readonly data: JsonValue | null;
  /** Its characters as JSON; 0 if it is not JSON. */
  readonly dataChars: number;
}

/** A link that was not taken, and why. */
export interface SkippedLink {
  readonly url: string;
  /** A reason of the table of reasons, such as `link-nofollow`. */
  readonly reason: string;
}

export interface Staged {
  /** The emitted values, in order, each copied when it was emitted. */
  readonly data: readonly JsonValue[];
  /** What the crawl's stages made of each, in order; `null`: no stages, or the page's items are not kept. */
  readonly processed: readonly (readonly JsonValue[])[] | null;
  /** Candidates for admission, one per visit to a URL. */
  readonly links: readonly NewUrl[];
  /** Links that the page wants left alone, one per URL, none of them in `links`. */
  readonly skipped: readonly SkippedLink[];
  /** URLs that the handler added although the page wants them left alone. */
  readonly nofollow: readonly string[];
  /** Emitted values that the schema of their route rejected, in order: the first hundred. */
  readonly rejected: readonly RejectedItem[];
  readonly rejectedCount: number;
}

export const NOTHING_STAGED: Staged = Object.freeze({
  data: [],
  processed: null,
  links: [],
  skipped: [],
  nofollow: [],
  rejected: [],
  rejectedCount: 0,
});

/** What a method answers after the end of the handler. */
export interface LateAnswer<T> {
  readonly late: T;
}

const STAGED: EmittedItem = Object.freeze({ kind: 'staged' });

/** Collects what the handler of one page stages. After `seal` every call fails with MannerlyError `page-over`. */
export class Stage {
  readonly #page: Pick<FetchedPage, 'url' | 'visit' | 'fetchedAtMs'>;
  readonly #schema: Schema | null;
  readonly #data: JsonValue[] = [];
  readonly #links = new Map<string, NewUrl>();
  readonly #skipped = new Map<string, SkippedLink>();
  readonly #nofollow = new Set<string>();
  readonly #rejected: RejectedItem[] = [];
  #rejectedCount = 0;
  /** Failed calls that nothing awaits. */
  readonly #failed = new Map<Call<unknown>, unknown>();
  /** The end of the last item that had to wait for its schema; `null`: none had to. Never rejects. */
  #last: Promise<unknown> | null = null;
  #isSealed = false;
  /** The handler has ended by itself. */
  hasEnded = false;
  /** Called once, with the first call after the end or the first failure then: its effect is lost. */
  onLate: ((error: unknown) => void) | null = null;

  /** @param schema - The schema of the page's items; `null`: none. */
  constructor(page: Pick<FetchedPage, 'url' | 'visit' | 'fetchedAtMs'>, schema: Schema | null) {
    this.#page = page;
    this.#schema = schema;
  }

  /**
   * Calls a method of the page, at once, so that a call with a forgotten `await` still stages. After the end of the
   * handler its effect would be lost. This is reported once instead of thrown: calls that nothing awaits would end the
   * process by their rejection.
   * @param method - What the user called: the stack of its error begins with the user's line.
   * @param late - The answer after the end of the handler; `null`: the method acts nevertheless.
   */
  call<T>(method: (...given: never[]) => unknown, late: LateAnswer<T> | null, act: () => T | Promise<T>): Promise<T> {
    try {
      if (late !== null && this.hasEnded) {
        this.#reportLate(this.#endedError());
        return Promise.resolve(late.late);
      }
      const result = act();
      if (!(result instanceof Promise)) return Promise.resolve(result);
      const call = new Call<T>((resolve, reject) => void result.then(resolve, reject));
      result.catch((error) => this.#callFailed(call, error));
      return call;
    } catch (error) {
      if (error instanceof MannerlyError) Error.captureStackTrace(error, method);
      const call = new Call<T>((_, reject) => reject(error));
      this.#callFailed(call, error);
      return call;
    }
  }

  #callFailed(call: Call<unknown>, error: unknown): void {
    call.ignore();
    if (call.isAwaited) return;
    if (this.#isSealed) this.#reportLate(error);
    else if (this.#failed.size < MAX_FAILED_CALLS) this.#failed.set(call, error);
    call.onAwaited = () => this.#failed.delete(call);
  }

  /**
   * Stages one item or sets it aside, at once if the schema is synchronous and nothing waits before it. Items keep
   * their order, however long the schema takes, since an item's position is part of its id.
   * @throws MannerlyError (or rejects) `item-invalid` if it is not JSON, too large, or one too many.
   */
  emit(data: unknown): EmittedItem | Promise<EmittedItem> {
    const checked = this.#schema === null ? ({ kind: 'valid', value: data } as const) : checkValue(this.#schema, data);
    if (this.#last === null && !(checked instanceof Promise)) return this.#addItem(data, checked);
    const previous = this.#last ?? Promise.resolve();
    const added = previous.then(() => checked).then((answer) => this.#addItem(data, answer));
    this.#last = added.catch(() => undefined);
    return added;
  }

  /**
   * The handler has succeeded: what it staged, once every item is staged or rejected. Rejects with the error of the
   * first failed call that nothing awaits.
   */
  async end(): Promise<Staged> {
    for (let last = this.#last; last !== null; ) {
      await last;
      last = last === this.#last ? null : this.#last;
    }
    for (const error of this.#failed.values()) throw error;
    return this.seal();
  }

  /** The first candidate of a visit counts, with the least depth of all. @returns Whether it is the first. */
  link(candidate: NewUrl): boolean {
    this.#assertOpen();
    const { url, visit = 0 } = candidate;
    const key = visit === 0 ? url : `${visit} ${url}`;
    const known = this.#links.get(key);
    const first = known ?? candidate;
    this.#links.set(key, first.depth <= candidate.depth ? first : { ...first, depth: candidate.depth });
    return known === undefined;
  }

  skip(link: SkippedLink): void {
    this.#assertOpen();
    if (!this.#skipped.has(link.url)) this.#skipped.set(link.url, link);
  }

  /** Notes that the handler added a URL although the page wants it left alone. */
  nofollow(url: string): void {
    this.#assertOpen();
    this.#nofollow.add(url);
  }

  seal(): Staged {
    this.#isSealed = true;
    return {
      data: this.#data,
      processed: null,
      links: [...this.#links.values()],
      skipped: [...this.#skipped.values()].filter(({ url }) => !this.#links.has(url)),
      nofollow: [...this.#nofollow],
      rejected: this.#rejected,
      rejectedCount: this.#rejectedCount,
    };
  }

  #addItem(data: unknown, checked: SchemaResult): EmittedItem {
    this.#assertOpen();
    const { url, visit, fetchedAtMs } = this.#page;
    if (checked.kind === 'valid') {
      if (this.#data.length >= MAX_PAGE_ITEMS) {
        throw new MannerlyError('item-invalid', `expected at most ${MAX_PAGE_ITEMS} items of one page, ${url}`);
      }
      this.#data.push(jsonCopy(checked.value, `an item of ${url}`));
      return STAGED;
    }
    const { issues } = checked;
    this.#rejectedCount += 1;
    if (this.#rejectedCount <= MAX_PAGE_REJECTED) {
      this.#rejected.push({ url, visit, fetchedAtMs, issues, ...rejectedData(data) });
    }
    return { kind: 'rejected', issues };
  }

  #reportLate(error: unknown): void {
    const { onLate } = this;
    this.onLate = null;
    onLate?.(error);
  }

  /** An exception stops a handler that is still running after its time. */
  #assertOpen(): void {
    if (this.#isSealed) throw this.#endedError();
  }

  #endedError(): MannerlyError {
    const message = `the handler of ${this.#page.url} has ended; what it emits or follows now is lost`;
    return new MannerlyError('page-over', message, { hint: 'Await everything that the handler starts.' });
  }
}

/** A promise that knows whether something awaits it. */
class Call<T> extends Promise<T> {
  isAwaited = false;
  onAwaited: (() => void) | null = null;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Keeps its failure from being an unhandled rejection. */
  ignore(): void {
    super.then(undefined, () => undefined);
  }

  override then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.isAwaited = true;
    this.onAwaited?.();
    return super.then(onFulfilled, onRejected);
  }
}

/** A copy, so that later changes do not reach it. */
function rejectedData(data: unknown): Pick<RejectedItem, 'data' | 'dataChars'> {
  let text: string | undefined;
  try {
    text = JSON.stringify(data) as string | undefined;
  } catch {
    // A cycle, a bigint, or the user's own `toJSON` throws; it may have been rejected for that.
  }
  const fitsLog = text !== undefined && text.length <= MAX_REJECTED_CHARS;
  return { data: fitsLog ? (JSON.parse(text!) as JsonValue) : null, dataChars: text?.length ?? 0 };
}

/** Later changes do not reach a copy. @throws MannerlyError `item-invalid`: no JSON, or over {@link MAX_ITEM_CHARS} */
export function jsonCopy(value: unknown, subject: string): JsonValue {
  const invalid = (problem: string, options = {}) =>
    new MannerlyError('item-invalid', `expected ${subject} to ${problem}`, options);
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (name, field: unknown) => {
      const problem = unserialisable(field);
      if (problem === null) return field;
      throw invalid(`be JSON, got ${problem.kind}${name === '' ? '' : ` as \`${name}\``}: ${problem.advice}`);
    }) as string | undefined;
  } catch (error) {
    throw error instanceof MannerlyError ? error : invalid(`be JSON: ${textOf(error)}`, { cause: error });
  }
  if (text === undefined) throw invalid(`be JSON, got ${typeof value}`);
  if (text.length > MAX_ITEM_CHARS) throw invalid(`have at most ${MAX_ITEM_CHARS} characters, got ${text.length}`);
  return JSON.parse(text.includes('\\ud') ? text.replace(ESCAPE, wholeCharacter) : text) as JsonValue;
}

const ESCAPE = /\\(?:u(d[89a-f]..)|.)/g;

/** Half a surrogate pair, as in a text that was cut within an emoji: other readers of JSON refuse the whole file. */
function wholeCharacter(written: string, half: string | undefined): string {
  return half === undefined ? written : '\ufffd';
}

/** What `JSON.stringify` would lose silently, or reject without naming it; `null`: nothing of that kind. */
function unserialisable(value: unknown): { readonly kind: string; readonly advice: string } | null {
  if (value instanceof Promise) return { kind: 'a promise', advice: 'await it' };
  if (typeof value === 'function') return { kind: 'a function', advice: 'call it' };
  if (typeof value === 'bigint') return { kind: 'a bigint', advice: 'make it a number or a text' };
  if (typeof value !== 'object' || value === null) return null;
  const isSelection = 'cheerio' in value && !Object.hasOwn(value, 'cheerio');
  if (isSelection) return { kind: 'a cheerio selection', advice: 'emit its `.text()` or `.attr(name)`' };
  const isGenerator = 'next' in value && (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (isGenerator) return { kind: 'a generator', advice: 'make it a list' };
  const isKeyed = value instanceof Map || value instanceof Set;
  return isKeyed ? { kind: 'a Map or a Set', advice: 'make it an object or a list' } : null;
}
