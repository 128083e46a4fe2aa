// An access state as one stored value, and back: a line of JSON, then the bytes of the good copy.
//
// Stores keep it so that a restart neither causes a refetch nor lifts a restriction (access §8). A state that cannot be
// read back, or that must not be stored, comes back as a state that needs a fetch, never as permission.

import { MAX_ACCESS_RECORD_BYTES } from '../limits.js';
import type { GoodCopy } from './good-copy.js';
import { type AccessPhase, type AccessState, initialAccess } from './state.js';

const VERSION = 1;
const BODY_LEFT_OUT = -1;
const LINE_FEED = 0x0a;
const PHASES: readonly AccessPhase[] = [
  'none-yet',
  'rules',
  'no-rules',
  'restricted',
  'kept',
  'unreachable',
  'last-good',
];
const NOTES = ['robots-forbidden', 'robots-redirect-limit', 'robots-content-type', 'robots-html'] as const;

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
  const head = headEnd < 0 ? null : parseRecord(new TextDecoder().decode(bytes.subarray(0, headEnd)));
  if (head === null || head['v'] !== VERSION) return null;
  const phase = PHASES.find((known) => known === head['phase']);
  const copy = decodeCopy(head['copy'], bytes.subarray(headEnd + 1), cachedBody);
  const times = [head['freshUntilMs'], head['firstFailureMs'], head['retryAtMs'], head['hostAnsweredAtMs']];
  if (phase === undefined || copy === undefined || !times.every(isTimeOrNull) || !isCount(head['failures']))
    return null;
  const [freshUntilMs = null, firstFailureMs = null, retryAtMs = null, hostAnsweredAtMs = null] = times;
  const listed = Array.isArray(head['notes']) ? head['notes'] : [];
  const state: AccessState = {
    phase,
    copy,
    freshUntilMs,
    failures: head['failures'],
    firstFailureMs,
    retryAtMs,
    fetching: head['fetching'] === true,
    hostAnsweredAtMs,
    notes: NOTES.filter((note) => listed.includes(note)),
  };
  if (!isConsistent(state)) return { ...initialAccess(), fetching: state.fetching };
  return copy === null && hasLostBody(head['copy']) ? withoutCopy(state) : state;
}

/** Whether the times that a phase needs are there, and the copy if the phase depends on it. */
function isConsistent({ phase, copy, freshUntilMs, firstFailureMs, retryAtMs }: AccessState): boolean {
  if (phase === 'none-yet') return freshUntilMs === null && retryAtMs === null;
  if (phase === 'unreachable' || phase === 'last-good') {
    return freshUntilMs === null && retryAtMs !== null && firstFailureMs !== null;
  }
  return freshUntilMs !== null && retryAtMs === null && (copy !== null || (phase !== 'rules' && phase !== 'kept'));
}

function withoutCopy(state: AccessState): AccessState {
  if (state.retryAtMs === null) return { ...initialAccess(), fetching: state.fetching };
  return { ...state, phase: 'unreachable', firstFailureMs: state.retryAtMs };
}

function hasLostBody(copy: unknown): boolean {
  return isRecord(copy) && copy['maxBodyBytes'] === BODY_LEFT_OUT;
}

function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null; // Not JSON, so not a record of ours; JSON.parse has no other way to say so.
  }
}

/** Undefined: not a copy. Null: no copy, or one whose body was left out and is not supplied. */
function decodeCopy(
  value: unknown,
  storedBody: Uint8Array,
  cachedBody: Uint8Array | null,
): GoodCopy | null | undefined {
  if (value === null) return null;
  if (!isRecord(value)) return undefined;
  const { robotsUrl, finalUrl, charset, receivedAtMs, etag, lastModified, mayStore, maxBodyBytes } = value;
  const isLeftOut = maxBodyBytes === BODY_LEFT_OUT;
  if (isLeftOut && cachedBody === null) return null;
  if (typeof robotsUrl !== 'string' || typeof finalUrl !== 'string' || !isTime(receivedAtMs)) return undefined;
  if (!isTextOrNull(charset) || !isTextOrNull(etag) || !isTextOrNull(lastModified)) return undefined;
  // A body of another length was cut or mixed up; half a file may lack its Disallow lines.
  if (!isLeftOut && maxBodyBytes !== storedBody.length) return undefined;
  const body = isLeftOut ? cachedBody! : storedBody.slice();
  const isStored = !isLeftOut || mayStore === true;
  return { body, robotsUrl, finalUrl, charset, receivedAtMs, etag, lastModified, mayStore: isStored };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isTimeOrNull(value: unknown): value is number | null {
  return value === null || isTime(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
