// Statements over connections that may break: what did not get through is sent again within a bound, and the crawl holds
// meanwhile. A statement may then be executed twice; store.ts says for each verb what that means, and a release that was heard
// twice is recognised by the number of its operation.

import { createHash } from 'node:crypto';
import { FrontierError } from '../../errors.js';
import type { PostgresPool } from './client.js';
import type { PostgresNotice } from './store-options.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds for which a server that never answered is asked: more likely its address is wrong. */
const FIRST_ANSWER_MS = 10_000;
/** Milliseconds without an answer before the operator is told. */
const SILENCE_MS = 5_000;
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

/** What a connection needs to know. */
export interface ConnectionOptions {
  readonly pool: PostgresPool;
  readonly holdMs: number;
  readonly onNotice: (notice: PostgresNotice) => void;
}

/** A row: text, or `null`, for each column. */
export type Row = readonly (string | null)[];

/** One pool, asked again while it cannot reach its server. */
export class Connection {
  readonly #pool: PostgresPool;
  readonly #holdMs: number;
  readonly #onNotice: (notice: PostgresNotice) => void;
  /** An idle connection that breaks is no news: the next statement finds out. */
  readonly #ignore = () => undefined;
  readonly #names = new Map<string, string>();
  #isHolding = false;
  #wasReached = false;
  #isClosed = false;

  constructor({ pool, holdMs, onNotice }: ConnectionOptions) {
    this.#pool = pool;
    this.#holdMs = holdMs;
    this.#onNotice = onNotice;
  }

  /** Before the first statement. */
  open(): void {
    this.#isClosed = false;
    this.#pool.on('error', this.#ignore);
  }

  /** What waits is not sent again. The second call does nothing. */
  close(): void {
    this.#isClosed = true;
    this.#pool.removeListener('error', this.#ignore);
  }

  /**
   * The rows of a statement, every value as text.
   *
   * @param values - With values it is prepared, once per connection; without it may be several statements, which are one transaction.
   * @throws FrontierError `store-failed` when the server did not answer within `holdMs` or refused, or the pool was ended.
   */
  async call(text: string, values?: unknown[]): Promise<Row[]> {
    const holdMs = this.#wasReached ? this.#holdMs : Math.min(this.#holdMs, FIRST_ANSWER_MS);
    const untilMs = performance.now() + holdMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      const silence = setTimeout(() => this.#hold('no answer'), SILENCE_MS);
      try {
        const rows = await this.#send(text, values);
        this.#wasReached = true;
        if (this.#isHolding) this.#resume();
        return rows;
      } catch (cause) {
        const isMeeting = MET.has(codeOf(cause));
        if (!isMeeting && !isPassing(cause)) throw failed(`PostgreSQL refused: ${messageOf(cause)}`, cause);
        const isOver = this.#pool.ended || this.#isClosed || performance.now() + pauseMs > untilMs;
        if (isOver) throw failed(`PostgreSQL could not be reached: ${messageOf(cause)}`, cause);
        if (!isMeeting) this.#hold(messageOf(cause));
      } finally {
        clearTimeout(silence);
      }
      // Two that met do not meet again at the same instant.
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
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

  #hold(why: string): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#onNotice({ kind: 'holding', message: `PostgreSQL cannot be reached (${why}); the crawl holds until it can` });
  }

  #resume(): void {
    this.#isHolding = false;
    this.#onNotice({ kind: 'resumed', message: 'PostgreSQL answers again; the crawl goes on' });
  }
}

/** Values stay as the server wrote them, whatever the process told pg of its types. */
const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** An error as `store-failed`. Never throws. */
export function failed(message: string, cause: unknown): FrontierError {
  return new FrontierError('store-failed', message, { cause });
}

/** The server's code of an error; empty for others. Never throws. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Its words. Never throws. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('08') || PASSING_CODES.has(code) || PASSING_WORDS.test(`${code} ${messageOf(error)}`);
}
