// What the PostgreSQL store may be told, checked and filled in.

import { FrontierError } from '../../errors.js';
import { QUEUED_MAX } from '../../limits.js';
import type { PostgresPool } from './client.js';

const SCHEMA = 'mannerly';
/** What PostgreSQL takes as a name, without what would need more than quotes. */
const NAME = /^(?!pg_)[\w-]{1,63}$/;
/** Milliseconds without a server before the store has failed: a restart or a failover takes less. */
const HOLD_MS = 900_000;
const HOLD_MOST_MS = 86_400_000;

/** What the store says beside its answers. */
export interface PostgresNotice {
  /** `weak-durability`: the server's settings promise less than the survival of its process. `holding`: no answer, the crawl waits. `resumed`: it goes on. */
  readonly kind: 'weak-durability' | 'holding' | 'resumed';
  readonly message: string;
}

/** What the PostgreSQL store may be told. */
export interface PostgresStoreOptions {
  /** A `Pool` of pg. The caller ends it, after the store. Five connections are enough for most crawls. */
  readonly pool: PostgresPool;
  /** The schema of the crawl's tables, one crawl each; made when the crawl is. Letters of ASCII, digits, `_` and `-`. @default 'mannerly' */
  readonly schema?: string;
  /** Who crawls, usually the product token; a crawl of another one is refused. @default not compared */
  readonly identity?: string;
  /** Entries unfinished at a time, all processes together; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /**
   * Milliseconds for which a server that does not answer is asked again, before the store has failed; ten seconds at most
   * while it never answered.
   * @default 900,000; 0 to 86,400,000
   */
  readonly holdMs?: number;
  /** Hears what an operator should know. @default a warning of the process */
  readonly onNotice?: (notice: PostgresNotice) => void;
  /** The store's clock, milliseconds, instead of the server's; for tests. */
  readonly nowMs?: () => number;
}

/** Every option, filled in. */
export interface PostgresSettings {
  readonly pool: PostgresPool;
  readonly schema: string;
  /** Empty: not compared. */
  readonly identity: string;
  readonly maxQueued: number;
  readonly holdMs: number;
  readonly onNotice: (notice: PostgresNotice) => void;
  /** `null`: the server's own. */
  readonly nowMs: (() => number) | null;
}

const KNOWN = new Set(['pool', 'schema', 'identity', 'maxQueued', 'holdMs', 'onNotice', 'nowMs']);

/** @throws FrontierError `option-invalid`. */
export function resolvePostgresOptions(options: PostgresStoreOptions): PostgresSettings {
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) throw new FrontierError('option-invalid', `the PostgreSQL store has no option \`${name}\``);
  }
  const { pool, schema = SCHEMA, identity = '', nowMs = null, onNotice = warn } = options;
  if (typeof pool?.query !== 'function' || typeof pool.on !== 'function') {
    throw new FrontierError('option-invalid', 'expected `pool` to be a `Pool` of pg');
  }
  if (!NAME.test(schema)) {
    throw new FrontierError(
      'option-invalid',
      `expected \`schema\` to be 1 to 63 letters, digits, _ or -, and not to start with pg_, got ${JSON.stringify(schema)}`,
    );
  }
  return {
    pool,
    schema,
    identity,
    nowMs,
    onNotice,
    maxQueued: wholeWithin('maxQueued', options.maxQueued ?? QUEUED_MAX, 1, Number.MAX_SAFE_INTEGER),
    holdMs: wholeWithin('holdMs', options.holdMs ?? HOLD_MS, 0, HOLD_MOST_MS),
  };
}

function warn({ message }: PostgresNotice): void {
  process.emitWarning(message, 'MannerlyPostgresWarning');
}

function wholeWithin(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new FrontierError(
    'option-invalid',
    `expected \`${name}\` to be a whole number from ${least} to ${most}, got ${value}`,
  );
}
