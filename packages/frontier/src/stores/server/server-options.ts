// Options of every store on a server, checked and filled in.

import { resolveShared, wholeWithin } from '../store-options.js';

/** Milliseconds without a server before the store has failed: a restart or a failover takes less. */
const HOLD_MS = 900_000;
const HOLD_MOST_MS = 86_400_000;

/** What a store on a server reports besides its answers. */
export interface ServerNotice {
  /** `weak-durability`: a crash of the server loses data. `holding`: the crawl waits. `resumed`: it continues. */
  readonly kind: 'weak-durability' | 'holding' | 'resumed';
  readonly message: string;
}

/** Options of every store on a server. */
export interface ServerStoreOptions {
  /** Who crawls, usually the product token; a crawl of another one is refused. @default not compared */
  readonly identity?: string;
  /** Most unfinished entries of all processes; each shard has an equal share. @default 10,000,000 */
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

export type ResolvedServerOptions = ReturnType<typeof resolveServerOptions>;

/** `own`: options that only this kind of store has. @throws FrontierError `option-invalid`, for an unknown one too. */
export function resolveServerOptions(server: string, options: ServerStoreOptions, own: readonly string[]) {
  const { holdMs = HOLD_MS, onNotice = warn } = options;
  return {
    ...resolveShared(server, options, ['holdMs', 'onNotice', ...own]),
    server,
    onNotice,
    holdMs: wholeWithin('holdMs', holdMs, 0, HOLD_MOST_MS),
  };
}

function warn({ message }: ServerNotice): void {
  process.emitWarning(message, 'MannerlyStoreWarning');
}
