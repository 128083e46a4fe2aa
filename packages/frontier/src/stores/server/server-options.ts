// Options of every store on a server, checked and filled in.

import { FrontierError } from '../../errors.js';
import { QUEUED_MAX } from '../../limits.js';
import { wholeWithin } from '../whole-within.js';

/** Milliseconds without a server before the store has failed: a restart or a failover takes less. */
const HOLD_MS = 900_000;
const HOLD_MOST_MS = 86_400_000;

/** What a store on a server reports besides its answers. */
export interface ServerNotice {
  /**
   * `weak-durability`: the server's settings guarantee less than the survival of its process. `holding`: no answer, the
   * crawl waits. `resumed`: it continues.
   */
  readonly kind: 'weak-durability' | 'holding' | 'resumed';
  readonly message: string;
}

/** Options of every store on a server. */
export interface ServerStoreOptions {
  /** Who crawls, usually the product token; a crawl of another one is refused. @default not compared */
  readonly identity?: string;
  /**
   * Entries unfinished at a time in all processes; more are answered `full`. Several shards have an equal share each.
   * @default 10,000,000
   */
  readonly maxQueued?: number;
  /**
   * Milliseconds for which a server that does not answer is tried again, before the store has failed; ten seconds at
   * most while it never answered. What the client itself does about a lost connection comes before.
   * @default 900,000; 0 to 86,400,000
   */
  readonly holdMs?: number;
  /** Called with what an operator should know. @default a warning of the process */
  readonly onNotice?: (notice: ServerNotice) => void;
  /** The store's clock, milliseconds, instead of the server's; for tests. */
  readonly nowMs?: () => number;
}

/** Every option, filled in. */
export interface ResolvedServerOptions {
  /** The server's name in messages. */
  readonly server: string;
  /** Empty: not compared. */
  readonly identity: string;
  readonly maxQueued: number;
  readonly holdMs: number;
  readonly onNotice: (notice: ServerNotice) => void;
  /** `null`: the server's own. */
  readonly nowMs: (() => number) | null;
}

const COMMON = ['identity', 'maxQueued', 'holdMs', 'onNotice', 'nowMs'];

/**
 * @param server - Its name in messages.
 * @param own - Names of the options that only this kind of store has.
 * @throws FrontierError `option-invalid`, for an unknown option too.
 */
export function resolveServerOptions(
  server: string,
  options: ServerStoreOptions,
  own: readonly string[],
): ResolvedServerOptions {
  for (const name of Object.keys(options)) {
    if (COMMON.includes(name) || own.includes(name)) continue;
    throw new FrontierError('option-invalid', `the ${server} store has no option \`${name}\``);
  }
  const { identity = '', nowMs = null, maxQueued = QUEUED_MAX, holdMs = HOLD_MS } = options;
  const warn = ({ message }: ServerNotice) => process.emitWarning(message, 'MannerlyStoreWarning');
  return {
    server,
    identity,
    nowMs,
    onNotice: options.onNotice ?? warn,
    maxQueued: wholeWithin('maxQueued', maxQueued, 1, Number.MAX_SAFE_INTEGER),
    holdMs: wholeWithin('holdMs', holdMs, 0, HOLD_MOST_MS),
  };
}
