// The store as one frontier sees it. A store that has failed once has failed for good: its contents are unknown, and
// continuing from a guess could make a request too early. Every verb passes through here; once one throws, all later
// ones throw the same error. A store of a user may answer anything: taken as it comes, `undefined` in place of a time
// would mean that nothing is ever due, and an outcome too few that a link is queued. So each answer is checked.

import { FrontierError } from '../errors.js';
import { PRIORITIES } from '../limits.js';
import type { AddOutcome, FrontierStore } from '../store.js';
import { isCount, isText, isTime } from '../stored-value.js';
import type { HostKeyBy } from '../url/url.js';
import { MAX_WAIT_MS } from './limits.js';
import { hostOfRecord } from './processes.js';

/** Verbs of records, and the place of the host that the record belongs to among what they are given. */
const HOST_ARGUMENT: Readonly<Record<string, number>> = { readRecord: 1, writeRecord: 2 };

export class StoreGuard {
  /** The store's own refusals (`record-too-large`, …) pass unchanged. Other errors reject with `store-failed`. */
  readonly store: FrontierStore;
  /** Remembers an error that no caller waits for: the next call throws it. */
  readonly fail: (error: unknown) => void;
  #failure: FrontierError | null = null;
  #unreportedFailure: unknown = null;

  /** @param hostKeyBy - Records are stored near their hosts. */
  constructor(inner: FrontierStore, hostKeyBy: HostKeyBy) {
    this.store = aroundStoreVerbs(inner, async (call, verb, args) => {
      if (verb !== 'close' && this.#failure !== null) throw this.#failure;
      const hostIndex = HOST_ARGUMENT[verb];
      if (hostIndex !== undefined) args[hostIndex] ??= hostOfRecord(String(args[0]), hostKeyBy);
      try {
        return await checkedAnswer(call, verb, args, storeFailed);
      } catch (cause) {
        // `checkedAnswer` throws nothing else.
        const error = cause as FrontierError;
        if (verb === 'close' || error.code !== 'store-failed') throw error;
        this.#failure ??= error;
        throw this.#failure;
      }
    });
    this.fail = (error) => {
      this.#unreportedFailure ??= error;
    };
  }

  /** Whether the store has not failed. */
  get isWorking(): boolean {
    return this.#failure === null && this.#unreportedFailure === null;
  }

  /** @throws The error with which the store failed. */
  check(): void {
    const failure = this.#failure ?? this.#unreportedFailure;
    if (failure !== null) throw failure;
  }
}

const HINT = 'The store has a defect, or its contents are damaged: put a copy of it back, or start over.';

function storeFailed(message: string, cause: unknown): FrontierError {
  return new FrontierError('store-failed', message, cause === undefined ? { hint: HINT } : { cause });
}

/** A store whose verbs pass through one function that may refuse, delay, watch or complete them. */
export function aroundStoreVerbs(
  store: FrontierStore,
  intercept: (call: () => Promise<unknown>, verb: string, args: unknown[]) => Promise<unknown>,
): FrontierStore {
  // Stores may have private fields, so their verbs are called on the store itself.
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => intercept(() => Reflect.apply(member, target, args), String(name), args);
    },
  });
}

type Fields = Readonly<Record<string, unknown>>;

type Check = (answer: unknown, args: readonly unknown[]) => boolean;

/** What a verb answers: in words, for messages, and as a check. */
const ANSWERS: readonly (readonly [verb: keyof FrontierStore, description: string, isValid: Check])[] = [
  ['add', 'an outcome for each entry: known, new or full', (answer, [entries]) => areOutcomes(answer, entries)],
  ['lease', 'a list of leases', (answer) => Array.isArray(answer) && answer.every(isLease)],
  ['commit', 'an answer for each host and an outcome for each link', isCommitAnswer],
  ['nextDueInMs', 'a duration or null', (answer) => answer === null || isTime(answer)],
  ['reserve', 'a duration for each slot', (answer, [slots]) => isListFor(answer, slots, isDuration)],
  ['readRecord', 'a Uint8Array or null', (answer) => answer === null || ArrayBuffer.isView(answer)],
  ['stats', 'an object of counts', areCounts],
  ['scan', 'a page of entries', isListing],
];

const ANSWER_OF = new Map<string, (typeof ANSWERS)[number]>(ANSWERS.map((answer) => [answer[0], answer]));

/**
 * Calls a verb of a store. If it returns no promise, throws anything but a `FrontierError`, or answers in another
 * shape, this rejects with an error that names the verb.
 *
 * @param toError - Makes that error.
 */
export async function checkedAnswer(
  call: () => Promise<unknown>,
  verb: string,
  args: readonly unknown[],
  toError: (message: string, cause?: unknown) => Error,
): Promise<unknown> {
  const name = `\`${verb}\``;
  const rethrow = (cause: unknown): never => {
    throw cause instanceof FrontierError
      ? cause
      : toError(`${name} of the store failed: ${describeValue(cause)}`, cause);
  };
  let returned: unknown;
  try {
    returned = call();
  } catch (cause) {
    rethrow(cause);
  }
  if (!isObject(returned) || typeof returned['then'] !== 'function')
    throw toError(`${name} of the store returned ${describeValue(returned)}, not a promise`);
  const answer = await Promise.resolve(returned).catch(rethrow);
  const [, description, isValid] = ANSWER_OF.get(verb) ?? [];
  if (isValid === undefined || isValid(answer, args)) return answer;
  throw toError(`${name} of the store answered ${describeValue(answer)}, not ${description}`);
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isListFor = (answer: unknown, args: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(answer) && answer.length === (args as readonly unknown[]).length && answer.every(isItem);

const OUTCOMES: ReadonlySet<unknown> = new Set<AddOutcome>(['known', 'new', 'full']);

const areOutcomes = (answer: unknown, args: unknown): boolean => isListFor(answer, args, (one) => OUTCOMES.has(one));

const isDuration = (ms: unknown): boolean => isTime(ms) && ms <= MAX_WAIT_MS;

function isLease(lease: unknown): boolean {
  if (!isObject(lease)) return false;
  const { host, fencingToken, entries, state, queued } = lease;
  const isState = state === null || state instanceof Uint8Array;
  return isText(host) && isText(fencingToken) && isState && isCount(queued) && areEntries(entries);
}

const areEntries = (entries: unknown): boolean => Array.isArray(entries) && entries.every(isEntry);

function isEntry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { id, priority, body, attempt } = entry;
  return isText(id) && isCount(priority) && priority < PRIORITIES && body instanceof Uint8Array && isCount(attempt);
}

function isCommitAnswer(answer: unknown, [hosts, links = []]: readonly unknown[]): boolean {
  const isHostAnswer = (host: unknown) =>
    isObject(host) && (host['ok'] === false || (host['ok'] === true && areEntries(host['entries'])));
  return isObject(answer) && areOutcomes(answer['links'], links) && isListFor(answer['hosts'], hosts, isHostAnswer);
}

function areCounts(answer: unknown): boolean {
  return isObject(answer) && ['queued', 'inFlight', 'known', 'hosts'].every((name) => isCount(answer[name]));
}

function isListing(answer: unknown): boolean {
  if (!isObject(answer)) return false;
  const { cursor, items } = answer;
  const isItem = (item: unknown) => isObject(item) && isText(item['host']) && isEntry(item['entry']);
  return Array.isArray(items) && items.every(isItem) && (cursor === null || isText(cursor));
}

/** A value in a message. Errors without a message have a code, or a name. */
function describeValue(value: unknown): string {
  if (value instanceof Error) return value.message || ('code' in value ? String(value.code) : value.name);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value) ? 'an object of another shape' : String(value);
}
