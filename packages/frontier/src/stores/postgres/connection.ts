// Statements over connections that may break, and which errors are temporary.

import { createHash } from 'node:crypto';
import { Resending, type Verdict } from '../server/resending.js';
import { messageOf } from '../store-failure.js';
import type { PostgresQuery, ResolvedPostgresOptions } from './options.js';

/** Two transactions conflicted, and one is tried again: deadlock, serialisation, lock not available. */
const CONFLICTS = ['40P01', '40001', '55P03'];
/**
 * Temporary codes besides class 08 (connections) and class 53 (out of connections, disk or memory): shut down, crashed,
 * starting, cancelled by a timeout, a standby that will be promoted.
 */
const TEMPORARY_CODES = ['57P01', '57P02', '57P03', '57P05', '57014', '25006', '25P03'];
/** Words of temporary errors without a code: those of sockets and of pg. */
const TEMPORARY = new RegExp(
  [
    ...['Connection terminated', 'Client has encountered a connection error', 'not queryable'],
    ...['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'],
    ...['ECONN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND', 'ENOENT'],
  ].join('|'),
  'i',
);
/** Values stay as the server wrote them, whatever type parsers the process has given to pg. */
const AS_TEXT = { rowMode: 'array', types: { getTypeParser: () => (value: unknown) => value } } as const;

export type Row = readonly (string | null)[];

/** One pool and one schema, `$S` in statements, which are sent again while the pool cannot reach its server. */
export class Connection {
  readonly #options: ResolvedPostgresOptions;
  readonly #resending: Resending;
  /** An idle connection that breaks is not reported: the next statement notices. */
  readonly #ignore = () => undefined;
  readonly #prepared = new Map<string, Pick<PostgresQuery, 'name' | 'text'>>();

  constructor(options: ResolvedPostgresOptions) {
    this.#options = options;
    this.#resending = new Resending({ ...options, judge, isEnded: () => options.pool.ended });
    options.pool.on('error', this.#ignore);
  }

  /** Statements that wait are not sent again. The second call does nothing. */
  close(): void {
    this.#resending.close();
    this.#options.pool.removeListener('error', this.#ignore);
  }

  async run(sql: string): Promise<void> {
    await this.#send({ text: this.#inSchema(sql) });
  }

  /** The rows, as text, of a statement that is prepared. @throws FrontierError `store-failed` as `Resending.call`. */
  call(sql: string, values: unknown[] = []): Promise<Row[]> {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const text = this.#inSchema(sql);
      const digest = createHash('sha256').update(text).digest('base64url');
      prepared = { name: `mannerly-${digest.slice(0, 22)}`, text };
      this.#prepared.set(sql, prepared);
    }
    return this.#send({ ...prepared, values });
  }

  async #send(query: Omit<PostgresQuery, keyof typeof AS_TEXT>): Promise<Row[]> {
    const { rows } = await this.#resending.call(() => this.#options.pool.query({ ...query, ...AS_TEXT }));
    return rows as Row[];
  }

  /** The options have checked that the name needs no more than quotes. */
  #inSchema(sql: string): string {
    return sql.replaceAll('$S', `"${this.#options.schema}"`);
  }
}

function judge(error: unknown): Verdict {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CONFLICTS.includes(code)) return 'conflict';
  const isTemporary = /^(?:08|53)/.test(code) || TEMPORARY_CODES.includes(code);
  return isTemporary || TEMPORARY.test(`${code} ${messageOf(error)}`) ? 'unreachable' : 'refused';
}
