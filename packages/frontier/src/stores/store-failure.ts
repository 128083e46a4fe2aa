// Errors of the platform, a server or lmdb as errors of the store.

import { FrontierError } from '../errors.js';

/** The error as `store-failed` with its own message behind `what`. A `FrontierError` stays as it is. Never throws. */
export function toFailure(what: string, cause: unknown, hint?: string): FrontierError {
  if (cause instanceof FrontierError) return cause;
  const more = hint === undefined ? { cause } : { cause, hint };
  return new FrontierError('store-failed', `${what}: ${messageOf(cause)}`, more);
}

/** The message of an error; of an aggregate, all of its messages. Never throws. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

/** Whether an error of the platform carries this code. Never throws. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
