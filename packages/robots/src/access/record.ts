// An access state as one stored value, and back: a line of JSON, then the bytes of the good copy.
//
// Stores keep it so that a restart neither causes a refetch nor lifts a restriction (access §8). A state that cannot be
// read back, or that must not be stored, comes back as a state that needs a fetch, never as permission.

import { MAX_ACCESS_RECORD_BYTES } from '../limits.js';
import { parseJson } from '../parse-json.js';
import type { GoodCopy } from './answer.js';
import { type AccessState, initialAccess } from './state.js';

const VERSION = 1;
const BODY_LEFT_OUT = -1;
const LINE_FEED = 0x0a;
const PHASES = ['none-yet', 'rules', 'no-rules', 'restricted', 'kept', 'unreachable', 'last-good'];
const NOTES = ['robots-forbidden', 'robots-redirect-limit', 'robots-content-type', 'robots-html'] as const;

type Json = Readonly<Record<string, unknown>>;
type Checks = Readonly<Record<string, (value: unknown) => boolean>>;

const isTime = (value: unknown) => Number.isFinite(value);
const isTimeOrNull = (value: unknown) => value === null || isTime(value);
const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);
const STATE_CHECKS: Checks = {
  v: (value) => value === VERSION,
  phase: (value) => PHASES.includes(value as string),
  failures: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  freshUntilMs: isTimeOrNull,
  firstFailureMs: isTimeOrNull,
  retryAtMs: isTimeOrNull,
  hostAnsweredAtMs: isTimeOrNull,
};
const COPY_CHECKS: Checks = {
  robotsUrl: isText,
  finalUrl: isText,
  receivedAtMs: isTime,
  charset: isTextOrNull,
  etag: isTextOrNull,
  lastModified: isTextOrNull,
};

/** The stored form of a state, at most 1 MiB. The body is left out after `no-store`, or if it does not fit. */
export function encodeAccess(state: AccessState): Uint8Array {
  const { copy } = state;
  const { body, ...rest } = copy ?? { body: null };
  const head = (maxBodyBytes: number) =>
    new TextEncoder().encode(`${JSON.stringify({ v: VERSION, ...state, copy: copy && { ...rest, maxBodyBytes } })}\n`);
  if (body === null) return head(0);
  const full = head(body.length);
  if (copy?.mayStore !== true || full.length + body.length > MAX_ACCESS_RECORD_BYTES) return head(BODY_LEFT_OUT);
  const bytes = new Uint8Array(full.length + body.length);
  bytes.set(full);
  bytes.set(body, full.length);
  return bytes;
}

/**
 * Reads a stored state. Send it the event `restored` if the process that wrote it has ended.
 * @returns Null if the bytes are not a record of this version. A record without its body becomes `none-yet`; during a
 *   series of failures it stays `unreachable` until its retry time, and `unreachableDays` count again from there, so
 *   that losing the copy never turns "by the copy" into "allow".
 * @param cachedBody - The body of the copy if the caller still has it, for a record that left it out. It must be the
 *   same body: compare hashes.
 */
export function decodeAccess(bytes: Uint8Array, cachedBody: Uint8Array | null = null): AccessState | null {
  const headEnd = bytes.indexOf(LINE_FEED);
  const head = headEnd < 0 ? null : parseJson(new TextDecoder().decode(bytes.subarray(0, headEnd)));
  if (!isValid(head, STATE_CHECKS)) return null;
  const copy = decodeCopy(head['copy'], bytes.subarray(headEnd + 1), cachedBody);
  if (copy === undefined) return null;
  const { phase, freshUntilMs, failures, firstFailureMs, retryAtMs, hostAnsweredAtMs } = head as unknown as AccessState;
  const listed: readonly unknown[] = Array.isArray(head['notes']) ? head['notes'] : [];
  const state: AccessState = {
    phase,
    copy: copy === 'lost' ? null : copy,
    freshUntilMs,
    failures,
    firstFailureMs,
    retryAtMs,
    fetching: head['fetching'] === true,
    hostAnsweredAtMs,
    notes: NOTES.filter((note) => listed.includes(note)),
  };
  if (!isConsistent(state) || (copy === 'lost' && retryAtMs === null)) {
    return { ...initialAccess(), fetching: state.fetching };
  }
  return copy === 'lost' ? { ...state, phase: 'unreachable', firstFailureMs: retryAtMs } : state;
}

/** Whether the times that a phase needs are there, and the copy if the phase depends on it. */
function isConsistent({ phase, copy, freshUntilMs, firstFailureMs, retryAtMs }: AccessState): boolean {
  if (phase === 'none-yet') return freshUntilMs === null && retryAtMs === null;
  if (phase === 'unreachable' || phase === 'last-good') {
    return freshUntilMs === null && retryAtMs !== null && firstFailureMs !== null;
  }
  return freshUntilMs !== null && retryAtMs === null && (copy !== null || (phase !== 'rules' && phase !== 'kept'));
}

function isValid(value: unknown, checks: Checks): value is Json {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(checks).every(([name, check]) => check((value as Json)[name]));
}

/** Undefined: not a copy. `lost`: one whose body was left out and is not supplied. */
function decodeCopy(
  value: unknown,
  storedBody: Uint8Array,
  cachedBody: Uint8Array | null,
): GoodCopy | 'lost' | null | undefined {
  if (value === null) return null;
  if (!isValid(value, {})) return undefined;
  const isLeftOut = value['maxBodyBytes'] === BODY_LEFT_OUT;
  if (isLeftOut && cachedBody === null) return 'lost';
  // A body of another length was cut or mixed up; half a file may lack its Disallow lines.
  if (!isValid(value, COPY_CHECKS) || (!isLeftOut && value['maxBodyBytes'] !== storedBody.length)) return undefined;
  const { robotsUrl, finalUrl, charset, receivedAtMs, etag, lastModified, mayStore } = value as unknown as GoodCopy;
  const body = isLeftOut ? (cachedBody as Uint8Array) : storedBody.slice();
  return { body, robotsUrl, finalUrl, charset, receivedAtMs, etag, lastModified, mayStore: mayStore === true };
}
