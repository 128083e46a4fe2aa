// Errors of clients and servers as errors of a store.

import { FrontierError } from '../../errors.js';

/** The error as `store-failed`, its words behind ours; one that is ours already as it is. Never throws. */
export function asFailure(what: string, cause: unknown): FrontierError {
  if (cause instanceof FrontierError) return cause;
  return new FrontierError('store-failed', `${what}: ${messageOf(cause)}`, { cause });
}

/** Its words; of several that are one, all. Never throws. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
