// What the options of all stores have in common: unknown names are refused, and whole numbers have a range.

import { FrontierError } from '../errors.js';
import { QUEUED_MAX } from '../limits.js';

/** Options of every store that several processes share. */
interface SharedOptions {
  readonly identity?: string;
  readonly maxQueued?: number;
  readonly nowMs?: () => number;
}

/**
 * `store`: its name in messages. `own`: options that only this kind of store has.
 *
 * @throws FrontierError `option-invalid`, for an unknown option too.
 */
export function resolveShared(store: string, options: SharedOptions, own: readonly string[]) {
  const known = ['identity', 'maxQueued', 'nowMs', ...own];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new FrontierError('option-invalid', `the ${store} store has no option \`${unknown}\``);
  }
  const { identity = '', maxQueued, nowMs = null } = options;
  return { identity, nowMs, maxQueued: resolveMaxQueued(maxQueued) };
}

/** @throws FrontierError `option-invalid`. */
export function resolveMaxQueued(maxQueued = QUEUED_MAX): number {
  return wholeWithin('maxQueued', maxQueued, 1, Number.MAX_SAFE_INTEGER);
}

/** @throws FrontierError `option-invalid` for anything but a whole number of the range. */
export function wholeWithin(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const expected = `expected \`${name}\` to be a whole number from ${least} to ${most}`;
  throw new FrontierError('option-invalid', `${expected}, got ${value}`);
}
