// Statements over connections that may break, and which errors are temporary.

import { createHash } from 'node:crypto';
import { messageOf, Resending, toFailure, type Verdict } from '../server/resending.js';
import type { PostgresPool, ResolvedPostgresOptions } from './options.js';

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

/** A row: text, or `null`, for each column. */
export type Row = readonly (string | null)[];

/** One pool. Statements are sent again while it cannot reach its server. */
export class Connection {
  readonly #pool: PostgresPool;
  readonly #resending: Resending;
  /** An idle connection that breaks is not reported: the next statement notices. */
  readonly #ignore = () => undefined;
  readonly #names = new Map<string, string>();

  constructor(options: ResolvedPostgresOptions) {
    this.#pool = options.pool;
    this.#resending = new Resending({ ...options, judge, isEnded: () => options.pool.ended });
  }

  /** Before the first statement. */
  open(): void {
    this.#resending.open();
    this.#pool.on('error', this.#ignore);
  }

  /** Statements that wait are not sent again. The second call does nothing. */
  close(): void {
    this.#resending.close();
    this.#pool.removeListener('error', this.#ignore);
  }

  /**
   * The rows of a statement, every value as text.
   *
   * @param values - With values it is prepared, once per connection. Without, it may be several statements, which are
   *   one transaction.
   * @throws FrontierError `store-failed` when the server did not answer within `holdMs` or refused, or the pool was
   *   ended.
   */
  async call(text: string, values?: unknown[]): Promise<Row[]> {
    try {
      return await this.#resending.call(() => this.#send(text, values));
    } catch (cause) {
      throw toFailure('PostgreSQL refused', cause);
    }
  }

  async #send(text: string, values: unknown[] | undefined): Promise<Row[]> {
    const prepared = values === undefined ? {} : { name: this.#nameOf(text), values };
    const { rows } = await this.#pool.query({ text, ...prepared, rowMode: 'array', types: AS_TEXT });
    // Several statements have several answers, which no caller needs.
    return (rows ?? []) as Row[];
  }

  #nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `mannerly-${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
      this.#names.set(text, name);
    }
    return name;
  }
}

/** Values stay as the server wrote them, whatever type parsers the process has given to pg. */
const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

function judge(error: unknown): Verdict {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CONFLICTS.includes(code)) return 'conflict';
  const isTemporary = /^(?:08|53)/.test(code) || TEMPORARY_CODES.includes(code);
  return isTemporary || TEMPORARY.test(`${code} ${messageOf(error)}`) ? 'unreachable' : 'refused';
}
