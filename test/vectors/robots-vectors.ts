/**
 * Reads the vectors about robots.txt and answers them with the public interface of `@mannerly/robots`. A vector's
 * `expect` names what is compared; nothing is skipped.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type CompileOptions, compileRules, parseRobots } from '@mannerly/robots';
import { dedupeKey } from '@mannerly/robots/dedupe-key';
import { diagnose } from '@mannerly/robots/diagnostics';
import { fileOutline } from '@mannerly/robots/outline';
import {
  parseCrawlDelay,
  parseRequestRate,
  parseVisitTimes,
  rateInForce,
  visitState,
} from '@mannerly/robots/politeness';
import { sitePreferences } from '@mannerly/robots/preferences';
import { siteFields } from '@mannerly/robots/site-fields';

/** A vector as it is in the files; its inputs depend on `kind`. */
export interface Vector {
  readonly id: string;
  readonly spec: string;
  readonly kind: string;
  readonly note?: string;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly dialect?: string;
  readonly agent?: string | readonly string[];
  readonly url?: string;
  readonly base?: string;
  readonly robots?: string;
  readonly robotsBase64?: string;
  readonly robotsRecipe?: readonly { readonly text?: string; readonly repeat?: string; readonly times?: number }[];
  readonly value?: string;
  readonly lines?: readonly string[];
  readonly utc?: string;
  readonly now?: string;
}

const DAY_START = Date.UTC(2026, 10, 20);

/** All vectors of some kinds, from all files. */
export function vectorsOf(...kinds: readonly string[]): Vector[] {
  const folder = new URL('.', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Vector)
    .filter(({ kind }) => kinds.includes(kind));
}

/** The package's answer in the shape of the vector's `expect`, with its keys only. */
export function answerOf(vector: Vector): Record<string, unknown> {
  const answers = ANSWERS[vector.kind]?.(vector);
  if (answers === undefined) throw new Error(`no answer for kind ${vector.kind}`);
  return Object.fromEntries(
    Object.keys(vector.expect).map((key) => {
      const answer = answers[key];
      if (answer === undefined) throw new Error(`no answer for ${vector.kind}.${key}`);
      return [key, answer()];
    }),
  );
}

/** `expect`, with diagnostics in the order of the answers. */
export function expectedOf(vector: Vector): Record<string, unknown> {
  const { diagnostics, ...rest } = vector.expect;
  return diagnostics === undefined ? rest : { ...rest, diagnostics: sorted(diagnostics as [number, string][]) };
}

type Answers = Readonly<Record<string, () => unknown>>;

const ANSWERS: Readonly<Record<string, (vector: Vector) => Answers>> = {
  access(vector) {
    const decision = rulesOf(vector).decide(vector.url as string);
    return { allowed: () => decision.allowed, line: () => decision.line };
  },
  parse(vector) {
    const document = parseRobots(bodyOf(vector), { robotsUrl: vector.base as string });
    const rules = rulesOf(vector);
    return {
      diagnostics: () => sorted(diagnose(document).map(({ line, code }) => [line, code])),
      unknown: () => fileOutline(document).unknown.map(({ line, field, value }) => [line, field, value]),
      sitemaps: () => document.sitemaps,
      host: () => siteFields(document).host,
      cleanParams: () => siteFields(document).cleanParams,
      pleaseVisit: () => siteFields(document).pleaseVisit,
      licenses: () => rules.licenses,
      comments: () => rules.comments,
      noindex: () => rules.noindex,
      robotVersion: () => rules.robotVersion,
      crawlDelayMs: () => rules.crawlDelayMs,
      cacheDelayMs: () => rules.cacheDelayMs,
    };
  },
  'dedupe-key': (vector) => ({ dedupeKey: () => dedupeKey(parseRobots(bodyOf(vector)), vector.url as string) }),
  'crawl-delay': ({ value }) => ({ delayMs: () => parseCrawlDelay(value as string)?.delayMs ?? null }),
  'request-rate': ({ value }) => ({ rate: () => plainRate(parseRequestRate(value as string)) }),
  'rate-in-force'({ lines, utc }) {
    const rates = (lines as string[]).map(parseRequestRate).filter((rate) => rate !== null);
    const rate = rateInForce(rates, timeOf(utc as string));
    return {
      intervalMs: () => (rate.kind === 'rate' ? rate.intervalMs : null),
      closed: () => rate.kind === 'closed',
    };
  },
  'visit-time'({ lines, utc }) {
    const nowMs = timeOf(utc as string);
    const state = visitState(
      (lines as string[]).flatMap((line) => parseVisitTimes(line).windows),
      nowMs,
    );
    return {
      open: () => state.kind === 'open',
      opensInMinutes: () => (state.kind === 'open' ? 0 : (state.opensAtMs - nowMs) / 60_000),
    };
  },
  schedule: (vector) => ({ open: () => rulesOf(vector).schedule(Date.parse(vector.now as string)).kind === 'open' }),
  politeness: (vector) => ({ crawlDelayMs: () => rulesOf(vector).crawlDelayMs }),
  'content-usage': (vector) => ({
    allowed: () => rulesOf(vector).isAllowed(vector.url as string),
    preferences: () => sitePreferences(rulesOf(vector)).preferences(vector.url as string),
  }),
  'content-signal': (vector) => ({ signals: () => sitePreferences(rulesOf(vector)).signals(vector.url as string) }),
};

function rulesOf(vector: Vector) {
  const parse: Parameters<typeof parseRobots>[1] = {
    robotsUrl: vector.base ?? new URL('/robots.txt', vector.url ?? 'https://example.com/').href,
  };
  return compileRules(parseRobots(bodyOf(vector), parse), {
    tokens: vector.agent as string | string[],
    ...readingOf(vector.dialect ?? 'default'),
  });
}

function readingOf(dialect: string): Omit<CompileOptions, 'tokens'> {
  if (dialect === 'default') return {};
  if (dialect === '2.0.0') return { policy: 'declared-only' };
  if (dialect === 'strictest') return { policy: 'strictest' };
  return { dialect: dialect as 'rfc9309' | 'google' | '1996' | '1994', policy: 'base' };
}

function bodyOf(vector: Vector): Uint8Array | string {
  if (vector.robotsBase64 !== undefined) return Buffer.from(vector.robotsBase64, 'base64');
  if (vector.robotsRecipe !== undefined) {
    return vector.robotsRecipe
      .map(({ text, repeat, times }) => text ?? (repeat as string).repeat(times as number))
      .join('');
  }
  return vector.robots as string;
}

function plainRate(rate: ReturnType<typeof parseRequestRate>) {
  if (rate === null) return null;
  const { documents, periodSeconds, window } = rate;
  return {
    documents,
    periodSeconds,
    window: window === null ? null : { start: window.startMinute, end: window.endMinute },
  };
}

function timeOf(utc: string): number {
  const [hours, minutes, seconds] = utc.split(':').map(Number) as [number, number, number];
  return DAY_START + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

function sorted(pairs: readonly (readonly [number, string])[]): (readonly [number, string])[] {
  return [...pairs].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
}
