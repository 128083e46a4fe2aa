// What can come of one exchange: a value for everything that a crawl meets, never an exception.

/** Header field lines in the order they came, names as sent. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** When the parts of one exchange happened, epoch milliseconds. */
export interface ExchangeTiming {
  /** Read just before the request left. */
  readonly startedAtMs: number;
  /** The header section was complete; `null` when none came. */
  readonly headersAtMs: number | null;
  /** Last byte, or the failure. */
  readonly endedAtMs: number;
}

/** A body in a file of its own, decoded. */
export interface BodyFile {
  readonly bytes: number;
  /** From its beginning each time; read as far and as fast as its reader likes. */
  read(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

/** A response came. Its body may be incomplete: `truncated` says so. */
export interface ResponseOutcome {
  readonly kind: 'response';
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderLines;
  /** The decoded body (content codings undone), cut at the cap; its beginning, where `file` holds all of it. */
  readonly body: Uint8Array;
  /** The whole body, where it was too large to be held; absent otherwise. The crawl removes it. */
  readonly file?: BodyFile;
  /**
   * The body as it came: without its transfer coding, its content codings not undone. Absent unless it was requested
   * (`keepsEncoded`), and where the fetcher does not know it (`capabilities.encodedBody`).
   */
  readonly encodedBody?: Uint8Array;
  /** `cap`: cut by our own limit; `peer`: the other side ended early or decoding failed on the way. */
  readonly truncated: 'limit' | 'connection' | null;
  /** Bytes of the body read off the wire; decoded ones where the fetcher cannot say. */
  readonly encodedBytes: number;
  readonly remoteAddress: string | null;
  readonly timing: ExchangeTiming;
}

/** Words for the ways in which no usable response came. docs/outcomes.md says which are retried, how often and when. */
export type FailureCode =
  | 'dns'
  | 'refused'
  | 'unreachable-network'
  | 'reset'
  | 'closed-early'
  | 'tls'
  | 'framing'
  | 'headers-too-large'
  | 'timeout-connect'
  | 'timeout-headers'
  | 'timeout-exchange'
  | 'encoding'
  | 'aborted'
  | 'address-forbidden'
  | 'port-forbidden'
  | 'scheme-unsupported'
  | 'internal';

/** No response that can be used. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly url: string;
  readonly failure: FailureCode;
  /** For people: what the platform said. */
  readonly detail: string;
  readonly remoteAddress: string | null;
  /** Whether the request had left when it failed; `false`: the host saw a connection at most. */
  readonly wasSent: boolean;
  readonly timing: ExchangeTiming;
}

/** Nothing left the machine: the slot or the second lock is not free yet, or the lease is gone. */
export interface NotSentOutcome {
  readonly kind: 'not-sent';
  readonly url: string;
  readonly reason: 'wait' | 'lost';
  /** When it may be tried again, epoch milliseconds; `null` when the lease is lost. */
  readonly untilMs: number | null;
}

/** The outcome of an exchange: a response, whole or cut, or the code of a failure. */
export type FetchOutcome = ResponseOutcome | FailedOutcome;
export type EgressOutcome = FetchOutcome | NotSentOutcome;

const NO_BYTES = new Uint8Array(0);

/**
 * Frees the bytes of a response that is no longer needed. Promises that were made when the request left keep the
 * outcome, and what an old object refers to stays until the next full collection.
 *
 * @throws Never
 */
export function releaseBody(outcome: ResponseOutcome): void {
  const open: { -readonly [field in 'body' | 'encodedBody']?: Uint8Array } = outcome;
  open.body = NO_BYTES;
  if (outcome.encodedBody !== undefined) open.encodedBody = NO_BYTES;
}

/** The value of a header field in any case, several lines joined by `, `; `null` when absent. Never throws. */
export function headerValue(headers: HeaderLines, name: string): string | null {
  const wanted = name.toLowerCase();
  let found: string | null = null;
  for (const [key, value] of headers) {
    if (key.toLowerCase() === wanted) found = found === null ? value : `${found}, ${value}`;
  }
  return found;
}

/** The values of a header field, one per field line. Names without regard to case. Never throws. */
export function headerValues(headers: HeaderLines, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** Failures that our own rules decided before anything was sent: no exchange happened, and no host is to blame. */
const REFUSALS: readonly FailureCode[] = ['address-forbidden', 'port-forbidden', 'scheme-unsupported'];

/** Whether an outcome is the address guard's refusal. Never throws. */
export function isRefusedByGuard(outcome: FetchOutcome): boolean {
  return outcome.kind === 'failed' && REFUSALS.includes(outcome.failure);
}
