// What the verbs of a store answer, in shape. A store of a user may answer anything: taken as it comes, `undefined` in
// place of a time would mean that nothing is ever due, and an outcome too few that a link is queued.

import { FrontierError } from './errors.js';
import type { AddOutcome, FrontierStore } from './store.js';

type Fields = Readonly<Record<string, unknown>>;

interface ExpectedAnswer {
  /** In words, for messages. */
  readonly description: string;
  readonly isValid: (answer: unknown, args: readonly unknown[]) => boolean;
}

const ANSWERS: ReadonlyMap<string, ExpectedAnswer> = new Map<keyof FrontierStore, ExpectedAnswer>([
  [
    'add',
    {
      description: 'an outcome for each entry: known, new or full',
      isValid: (answer, [entries]) => areOutcomes(answer, entries),
    },
  ],
  ['lease', { description: 'a list of leases', isValid: (answer) => Array.isArray(answer) && answer.every(isLease) }],
  ['commit', { description: 'an answer for each host and an outcome for each link', isValid: isCommitAnswer }],
  [
    'nextDueInMs',
    { description: 'a duration or null', isValid: (answer) => answer === null || Number.isFinite(answer) },
  ],
  ['reserve', { description: 'a duration for each slot', isValid: areWaits }],
  [
    'readRecord',
    { description: 'a Uint8Array or null', isValid: (answer) => answer === null || ArrayBuffer.isView(answer) },
  ],
  ['stats', { description: 'an object of counts', isValid: areCounts }],
  ['scan', { description: 'a page of entries', isValid: isListing }],
]);

/**
 * The store with its answers checked: a verb that returns no promise, throws anything but a `FrontierError`, or answers
 * in another shape rejects with an error that names the verb.
 *
 * @param toError - Makes that error.
 */
export function checkedAnswers(
  store: FrontierStore,
  toError: (message: string, cause?: unknown) => Error,
): FrontierStore {
  return aroundStoreVerbs(store, async (call, verb, args) => {
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
    if (!isPromise(returned)) throw toError(`${name} of the store returned ${describeValue(returned)}, not a promise`);
    const answer = await Promise.resolve(returned).catch(rethrow);
    const expected = ANSWERS.get(verb);
    if (expected === undefined || expected.isValid(answer, args)) return answer;
    throw toError(`${name} of the store answered ${describeValue(answer)}, not ${expected.description}`);
  });
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

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isPromise = (value: unknown): boolean => isObject(value) && typeof value['then'] === 'function';

const isListFor = (answer: unknown, args: unknown): boolean =>
  Array.isArray(answer) && answer.length === (args as readonly unknown[]).length;

const OUTCOMES: ReadonlySet<unknown> = new Set<AddOutcome>(['known', 'new', 'full']);

const areOutcomes = (answer: unknown, args: unknown): boolean =>
  isListFor(answer, args) && (answer as readonly unknown[]).every((outcome) => OUTCOMES.has(outcome));

function isLease(lease: unknown): boolean {
  if (!isObject(lease)) return false;
  const { host, fencingToken, entries } = lease;
  return typeof host === 'string' && typeof fencingToken === 'string' && Array.isArray(entries);
}

function isCommitAnswer(answer: unknown, [hosts, links = []]: readonly unknown[]): boolean {
  if (!isObject(answer) || !areOutcomes(answer['links'], links) || !isListFor(answer['hosts'], hosts)) return false;
  return (answer['hosts'] as readonly unknown[]).every(
    (host) => isObject(host) && (host['ok'] === false || (host['ok'] === true && Array.isArray(host['entries']))),
  );
}

function areWaits(answer: unknown, [slots]: readonly unknown[]): boolean {
  return isListFor(answer, slots) && (answer as readonly unknown[]).every(Number.isFinite);
}

function areCounts(answer: unknown): boolean {
  if (!isObject(answer)) return false;
  const { queued, inFlight, known, hosts } = answer;
  return [queued, inFlight, known, hosts].every(Number.isFinite);
}

function isListing(answer: unknown): boolean {
  if (!isObject(answer)) return false;
  const { cursor, items } = answer;
  return Array.isArray(items) && (cursor === null || typeof cursor === 'string');
}

/** A value in a message. Errors without a message have a code, or a name. */
function describeValue(value: unknown): string {
  if (value instanceof Error) return value.message || ('code' in value ? String(value.code) : value.name);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value) ? 'an object of another shape' : String(value);
}
