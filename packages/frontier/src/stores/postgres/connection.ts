// Statements over connections that may break, and which of their errors pass.

import { createHash } from 'node:crypto';
import { asFailure, messageOf } from '../server/failures.js';
import { Resending, type Verdict } from '../server/resending.js';
import type { PostgresPool } from './client.js';
import type { PostgresSettings } from './store-options.js';

/** Two transactions met: one of them is tried again, and nobody need be told. Deadlock, serialisation, lock not available. */
const MET = new Set(['40P01', '40001', '55P03']);
/**
 * Codes that pass, beside class 08 (connections): shut down, crashed, starting, too many connections, out of disk or memory,
 * cancelled by a timeout, a standby that will be promoted.
 */
const PASSING_CODES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  '57014',
  '25006',
  '25P03',
]);
/** Words of errors without a code: those of sockets and of pg. */
const PASSING_WORDS =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Query read timeout|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ENOENT|not queryable/i;

/** A row: text, or `null`, for each column. */
export type Row = readonly (string | null)[];

/** One pool, asked again while it cannot reach its server. */
export class Connection {
  readonly #pool: PostgresPool;
  readonly #resending: Resending;
  /** An idle connection that breaks is no news: the next statement finds out. */
  readonly #ignore = () => undefined;
  readonly #names = new Map<string, string>();

  constructor({ pool, server, holdMs, onNotice }: PostgresSettings) {
    this.#pool = pool;
    const isEnded = () => pool.ended;
    this.#resending = new Resending({ server, holdMs, onNotice, judge, isEnded });
  }

  /** Before the first statement. */
  open(): void {
    this.#resending.open();
    this.#pool.on('error', this.#ignore);
  }

  /** What waits is not sent again. The second call does nothing. */
  close(): void {
    this.#resending.close();
    this.#pool.removeListener('error', this.#ignore);
  }

  /**
   * The rows of a statement, every value as text.
   *
   * @param values - With values it is prepared, once per connection; without it may be several statements, which are one transaction.
   * @throws FrontierError `store-failed` when the server did not answer within `holdMs` or refused, or the pool was ended.
   */
  async call(text: string, values?: unknown[]): Promise<Row[]> {
    try {
      return await this.#resending.call(() => this.#send(text, values));
    } catch (cause) {
      throw asFailure('PostgreSQL refused', cause);
    }
  }

  async #send(text: string, values: unknown[] | undefined): Promise<Row[]> {
    const prepared = values === undefined ? {} : { name: this.#nameOf(text), values };
    const { rows } = await this.#pool.query({ text, ...prepared, rowMode: 'array', types: AS_TEXT });
    // Several statements have several answers, which nobody asks for.
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

/** Values stay as the server wrote them, whatever the process told pg of its types. */
const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

function judge(error: unknown): Verdict {
  const code = codeOf(error);
  if (MET.has(code)) return 'met';
  const isPassing =
    code.startsWith('08') || PASSING_CODES.has(code) || PASSING_WORDS.test(`${code} ${messageOf(error)}`);
  return isPassing ? 'away' : 'refused';
}

/** The server's code of an error; empty for others. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
