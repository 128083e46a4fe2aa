/**
 * Crawl-delay, Request-rate and Visit-time: values of the file → milliseconds, rates and windows.
 *
 * Clauses: robots §9.1 to 9.3. This file does not know groups or hosts; the caller decides which line of which group
 * counts. All times of day are UTC, and "now" is always an argument.
 */
import { MAX_CRAWL_DELAY_MS, MAX_RATE_NUMBER } from './limits.js';

/** A part of the day in minutes after midnight UTC, as written: an end before the start wraps, 1440 is 2400. */
interface TimeWindow {
  readonly startMinute: number;
  readonly endMinute: number;
}

/** At most `documents` per `periodSeconds`; zero documents closes the host. `window` null: at any time of day. */
export interface RequestRate {
  readonly documents: number;
  readonly periodSeconds: number;
  readonly window: TimeWindow | null;
}

/** A readable Crawl-delay: clamped, as written, and whether it had a unit. */
interface CrawlDelay {
  readonly delayMs: number;
  readonly requiredMs: number;
  readonly hasUnit: boolean;
}

/** The rate that binds at a time. `untilMs` is the first time at which the host is no longer closed. */
type RateInForce =
  | { readonly kind: 'none' }
  | { readonly kind: 'rate'; readonly intervalMs: number; readonly rate: RequestRate }
  | { readonly kind: 'closed'; readonly untilMs: number };

/** Whether Visit-time lets requests start at a time. */
type VisitState = { readonly kind: 'open' } | { readonly kind: 'closed'; readonly opensAtMs: number };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

const DELAY = /^(?:(\d+)(?:[.,](\d+))?|[.,](\d+))[ \t]*(s|secs?|seconds?|m|mins?|minutes?|h|hours?)?$/i;
const RATE = /^(\d+)[ \t]*\/[ \t]*(?:(\d+)([smhd])?|([smhd]))(?:[ \t]+(\S.*))?$/i;
const TIME = '(\\d\\d):?(\\d\\d)(?:[ \\t]*(?:utc|gmt|z))?';
// A dash binds more tightly than a blank, so that `0600 0700-0800` is one bad piece and one window.
const WINDOW_OR_WORD = new RegExp(
  `${TIME}(?:[ \\t]*-[ \\t]*|[ \\t]+(?!\\d\\d:?\\d\\d[ \\t]*-))${TIME}(?=[ \\t,]|$)|[^ \\t,]+`,
  'gi',
);

/** Reads a Crawl-delay or Cache-delay, clamped to `maxMs`; null for anything else (robots §9.1, DECISION R39). */
export function parseCrawlDelay(value: string, maxMs: number = MAX_CRAWL_DELAY_MS): CrawlDelay | null {
  const match = DELAY.exec(value.trim());
  if (match === null) return null;
  const [, whole = '0', fraction, bareFraction, unit] = match;
  // Floating-point numbers are inexact: 1.1 s would be 1101 ms. Nanoseconds are exact enough.
  const exactMs = Number(`${whole}.${fraction ?? bareFraction ?? 0}`) * unitSeconds(unit) * 1000;
  const requiredMs = Math.ceil(Number(exactMs.toFixed(6)));
  return { delayMs: Math.min(requiredMs, maxMs), requiredMs, hasUnit: unit !== undefined };
}

/** Reads a Request-rate; null when any part of the line is invalid (robots §9.2, DECISIONS R40 and R44). */
export function parseRequestRate(value: string): RequestRate | null {
  const match = RATE.exec(value.trim());
  if (match === null) return null;
  const [, documents = '', count = '1', countUnit, bareUnit, rest] = match;
  const periodSeconds = Number(count) * unitSeconds(countUnit ?? bareUnit);
  const { windows, hasInvalid } = parseVisitTimes(rest ?? '');
  const [window = null] = windows;
  if (periodSeconds === 0 || (rest !== undefined && (hasInvalid || windows.length > 1))) return null;
  return {
    documents: Math.min(Number(documents), MAX_RATE_NUMBER),
    periodSeconds: Math.min(periodSeconds, MAX_RATE_NUMBER),
    window,
  };
}

/** Reads a Visit-time: its valid windows, and whether a piece was dropped (robots §9.3). */
export function parseVisitTimes(value: string): { windows: TimeWindow[]; hasInvalid: boolean } {
  const parsed = Array.from(value.matchAll(WINDOW_OR_WORD), ([, ...times]) => windowOf(times));
  const windows = parsed.filter((window) => window !== null);
  return { windows, hasInvalid: windows.length < parsed.length || parsed.length === 0 };
}

/**
 * The rate in force now: the slowest line with a window that contains the minute, else the slowest line without one. A
 * window overrides the line without one even if it is faster (DECISION R42), and its last minute belongs to it
 * (R43). A host that no window ever reopens is reported closed for a day; its file has expired by then (robots §9.2,
 * DECISIONS R41 to R44).
 */
export function rateInForce(rates: readonly RequestRate[], nowMs: number): RateInForce {
  const minute = minuteOfDay(nowMs);
  let windowed: RequestRate | null = null;
  let general: RequestRate | null = null;
  for (const rate of rates) {
    if (rate.window === null) general = slower(general, rate);
    else if (covers(rate.window, minute)) windowed = slower(windowed, rate);
  }
  const rate = windowed ?? general;
  if (rate === null) return { kind: 'none' };
  if (rate.documents > 0) {
    return { kind: 'rate', intervalMs: Math.ceil((rate.periodSeconds * 1000) / rate.documents), rate };
  }
  // Minute by minute: the host is open again in a window with documents that no window without documents covers.
  const open = new Uint8Array(DAY_MINUTES);
  if (general === null || general.documents > 0) open.fill(1);
  for (const { documents, window } of rates) if (documents > 0) fillWindow(open, window, 1, 1);
  for (const { documents, window } of rates) if (documents === 0) fillWindow(open, window, 1, 0);
  return { kind: 'closed', untilMs: nextOpenMs(open, nowMs) };
}

/** Whether requests may start now: in any of the windows, or always if there are none (robots §9.3, R45, R46). */
export function visitState(windows: readonly TimeWindow[], nowMs: number): VisitState {
  const open = new Uint8Array(DAY_MINUTES);
  for (const window of windows) fillWindow(open, window, 0, 1);
  if (windows.length === 0 || open[minuteOfDay(nowMs)] === 1) return { kind: 'open' };
  return { kind: 'closed', opensAtMs: nextOpenMs(open, nowMs) };
}

function unitSeconds(unit = 's'): number {
  return { s: 1, m: 60, h: 3600, d: 86_400 }[unit.charAt(0).toLowerCase()] as number;
}

/** A window from the hours and minutes of its start and end. */
function windowOf(times: readonly (string | undefined)[]): TimeWindow | null {
  const [startHour, start, endHour, end] = times.map(Number) as [number, number, number, number];
  const startMinute = startHour * 60 + start;
  const endMinute = endHour * 60 + end;
  const isValid = start < 60 && end < 60 && startMinute < DAY_MINUTES && endMinute <= DAY_MINUTES;
  return isValid ? { startMinute, endMinute } : null;
}

function slower(current: RequestRate | null, candidate: RequestRate): RequestRate {
  // Fewer documents per unit of time, compared as fractions.
  return current !== null && candidate.documents * current.periodSeconds >= current.documents * candidate.periodSeconds
    ? current
    : candidate;
}

/** Whether a window contains a minute, its last one included. */
function covers({ startMinute, endMinute }: TimeWindow, minute: number): boolean {
  return startMinute < endMinute
    ? minute >= startMinute && minute <= endMinute
    : minute >= startMinute || minute <= endMinute;
}

/** Sets the minutes of a window in a day of one byte per minute, its last minute too if `inclusive` is 1. */
function fillWindow(day: Uint8Array, window: TimeWindow | null, inclusive: 0 | 1, value: 0 | 1): void {
  if (window === null) return;
  const { startMinute, endMinute } = window;
  if (startMinute < endMinute) day.fill(value, startMinute, endMinute + inclusive);
  else {
    day.fill(value, startMinute);
    day.fill(value, 0, endMinute + inclusive);
  }
}

/** When the next open minute of a day begins, past midnight if needed; in a day if there is none. */
function nextOpenMs(day: Uint8Array, nowMs: number): number {
  const minute = minuteOfDay(nowMs);
  let minutes = 1;
  while (minutes < DAY_MINUTES && day[(minute + minutes) % DAY_MINUTES] === 0) minutes++;
  return (Math.floor(nowMs / MINUTE_MS) + minutes) * MINUTE_MS;
}

function minuteOfDay(nowMs: number): number {
  return ((Math.floor(nowMs / MINUTE_MS) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
}
