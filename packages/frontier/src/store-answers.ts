// What the verbs of a store answer, in shape. A store of a user may answer anything: taken as it comes, `undefined` in
// place of a time would mean that nothing is ever due, and an outcome too few that a link is queued.

import { FrontierError } from './errors.js';
import type { AddOutcome, FrontierStore } from './store.js';

type Fields = Readonly<Record<string, unknown>>;

interface ExpectedAnswer {
  /** In words, for messages. */
  readonly what: string;
  readonly fits: (answer: unknown, given: readonly unknown[]) => boolean;
}

const ANSWERS: ReadonlyMap<string, ExpectedAnswer> = new Map<keyof FrontierStore, ExpectedAnswer>([
  [
    'add',
    {
      what: 'an outcome for each entry: known, new or full',
      fits: (answer, [entries]) => areOutcomes(answer, entries),
    },
  ],
  ['lease', { what: 'a list of leases', fits: (answer) => Array.isArray(answer) && answer.every(isLease) }],
  ['commit', { what: 'an answer for each host and an outcome for each link', fits: isCommitAnswer }],
  ['nextDueInMs', { what: 'a duration or null', fits: (answer) => answer === null || Number.isFinite(answer) }],
  ['reserve', { what: 'a duration for each slot', fits: areWaits }],
  ['readRecord', { what: 'a Uint8Array or null', fits: (answer) => answer === null || ArrayBuffer.isView(answer) }],
  ['stats', { what: 'an object of counts', fits: areCounts }],
  ['scan', { what: 'a page of entries', fits: isListing }],
]);

/**
 * The store with its answers checked: a verb that returns no promise, throws anything but a `FrontierError`, or answers
 * in another shape rejects with an error that names the verb.
 *
 * @param failed - Makes that error.
 */
export function checkedAnswers(
  store: FrontierStore,
  failed: (message: string, cause?: unknown) => Error,
): FrontierStore {
  return aroundStoreVerbs(store, async (call, verb, given) => {
    const name = `\`${verb}\``;
    const thrown = (cause: unknown): never => {
      throw cause instanceof FrontierError ? cause : failed(`${name} of the store failed: ${shown(cause)}`, cause);
    };
    let answering: unknown;
    try {
      answering = call();
    } catch (cause) {
      thrown(cause);
    }
    if (!isPromise(answering)) throw failed(`${name} of the store returned ${shown(answering)}, not a promise`);
    const answer = await Promise.resolve(answering).catch(thrown);
    const expected = ANSWERS.get(verb);
    if (expected === undefined || expected.fits(answer, given)) return answer;
    throw failed(`${name} of the store answered ${shown(answer)}, not ${expected.what}`);
  });
}

/** A store whose verbs pass through one function that may refuse, delay, watch or complete them. */
export function aroundStoreVerbs(
  store: FrontierStore,
  pass: (call: () => Promise<unknown>, verb: string, given: unknown[]) => Promise<unknown>,
): FrontierStore {
  // Stores may have private fields, so their verbs are called on the store itself.
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => pass(() => Reflect.apply(member, target, given), String(name), given);
    },
  });
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isPromise = (value: unknown): boolean => isObject(value) && typeof value['then'] === 'function';

const isListFor = (answer: unknown, given: unknown): boolean =>
  Array.isArray(answer) && answer.length === (given as readonly unknown[]).length;

const OUTCOMES: ReadonlySet<unknown> = new Set<AddOutcome>(['known', 'new', 'full']);

const areOutcomes = (answer: unknown, given: unknown): boolean =>
  isListFor(answer, given) && (answer as readonly unknown[]).every((outcome) => OUTCOMES.has(outcome));

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
function shown(value: unknown): string {
  if (value instanceof Error) return value.message || ('code' in value ? String(value.code) : value.name);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value) ? 'an object of another shape' : String(value);
}
