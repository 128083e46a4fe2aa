// Which records of a data.txt apply to a crawler, and what its Allow and Disallow lines mean, by the 1996 reading
// (data-txt §5). robots.txt alone decides about crawling: a Disallow here only keeps a URL from being fetched as a
// dataset found here, and an Allow permits nothing.
//
// Also where the file is, what an answer means and how long it is fresh (data-txt §1, §2, §6). A data.txt that cannot
// be read never holds or denies anything: it is an offer, not a restriction (DECISION T1). `nextHop` of the robots
// entry decides about redirects.

import { TRANSIENT_4XX } from '../access/answer.js';
import { rootUrl } from '../access/robots-url.js';
import { type HeaderLookup, lifetimeMs } from '../access/timing.js';
import { bytesOf } from '../bytes.js';
import { LIFETIME_1996_MS, MAX_DATA_TXT_RULES, MAX_DATASETS } from '../limits.js';
import { canonical } from '../normalize.js';
import { readUrl } from '../read-url.js';
import type { DataRecord, Dataset, DataTxt } from './parse.js';

/** A dataset that a data.txt offers, with the line of its record. */
export interface DatasetOffer {
  readonly dataset: Dataset;
  readonly record: DataRecord;
}

/** Whether data.txt lets a URL be fetched as a dataset; `line` is the deciding rule's, or null. */
interface DataTxtDecision {
  readonly allowed: boolean;
  readonly line: number | null;
}

/** A data.txt as one crawler sees it. */
interface DataTxtView {
  /** From the records selected for the crawler and all records without agents, in file order; at most 10 000. */
  readonly offers: readonly DatasetOffer[];
  /**
   * Whether a URL may be fetched as a dataset found through data.txt. The rules selected for the crawler and those that
   * name no agent must both allow it; the caller also checks robots.txt. Never throws; a URL that cannot be read is not
   * allowed.
   */
  decide(url: string): DataTxtDecision;
}

/** Rules in file order, patterns in canonical spelling. Null: too many rules, which counts as `Disallow: /`. */
type RuleList = readonly { readonly allows: boolean; readonly pattern: string; readonly line: number }[] | null;

const ALLOWED: DataTxtDecision = { allowed: true, line: null };
const DENIED: DataTxtDecision = { allowed: false, line: null };

/** The view of a data.txt for a crawler. Make one and reuse it (data-txt §5, DECISION T7). */
export function viewDataTxt(document: DataTxt, tokens: readonly string[]): DataTxtView {
  const block = selectedBlock(document, tokens);
  const ours = document.records.filter(({ agents, block: own }) => agents.length === 0 || own === block);
  const lists = [true, false].map((isNamed) => ruleList(ours.filter(({ agents }) => agents.length > 0 === isNamed)));
  return {
    offers: ours
      .flatMap((record) => (record.dataset === null ? [] : [{ dataset: record.dataset, record }]))
      .slice(0, MAX_DATASETS),
    decide(url) {
      const read = readUrl(url);
      if (read === null) return DENIED;
      const path = read.pathname + read.search;
      if (path === '/robots.txt') return ALLOWED;
      const text = canonical(bytesOf(path), 'decoded', false);
      const decisions = lists.map((rules) => decideBy(rules, text));
      return decisions.find(({ allowed }) => !allowed) ?? decisions.find(({ line }) => line !== null) ?? ALLOWED;
    },
  };
}

/** The block of the first record whose agents contain the name, else of the first `*`, else null. */
function selectedBlock(document: DataTxt, tokens: readonly string[]): number | null {
  // Records of one block share their agents.
  const records = document.records.filter(({ agents }, at) => agents !== document.records[at - 1]?.agents);
  for (const token of tokens) {
    const name = token.toLowerCase();
    const found = records.find(({ agents }) => agents.some((agent) => agent.toLowerCase().includes(name)));
    if (found !== undefined) return found.block;
  }
  return records.find(({ agents }) => agents.includes('*'))?.block ?? null;
}

function ruleList(records: readonly DataRecord[]): RuleList {
  const rules = records.flatMap((record) =>
    record.rules.map(([kind, value], at) => ({
      allows: kind === 'allow',
      pattern: canonical(bytesOf(value), 'decoded', true),
      line: record.ruleLines[at] ?? record.line,
    })),
  );
  // An empty pattern matches nothing (robots §7.3).
  return rules.length > MAX_DATA_TXT_RULES ? null : rules.filter(({ pattern }) => pattern !== '');
}

/** The first match in file order decides; no match allows (robots §5.3, §7.2). */
function decideBy(rules: RuleList, text: string): DataTxtDecision {
  if (rules === null) return DENIED;
  const rule = rules.find(({ pattern }) => text.startsWith(pattern));
  return rule === undefined ? ALLOWED : { allowed: rule.allows, line: rule.line };
}

/**
 * `parsed`: read the body. `not-modified`: the stored copy is valid. `none`: there is no file. `retry`: try again
 * later.
 */
type DataTxtOutcome = 'parsed' | 'not-modified' | 'none' | 'retry';

/** The end of one chain of exchanges; `status` counts for responses only. */
type DataTxtAnswer =
  | { readonly kind: 'response'; readonly status: number }
  | { readonly kind: 'failure' }
  | { readonly kind: 'redirect-limit' };

/** The URL of an authority's data.txt; null for a URL that is not http or https (data-txt §1). */
export function dataTxtUrl(url: string): string | null {
  return rootUrl(url, '/data.txt');
}

/** What an answer means. None of the outcomes affects the crawl (data-txt §2). */
export function dataTxtOutcome(answer: DataTxtAnswer, isRevalidation = false): DataTxtOutcome {
  if (answer.kind === 'failure') return 'retry';
  if (answer.kind === 'redirect-limit') return 'none';
  const { status } = answer;
  if (status >= 200 && status <= 299 && status !== 206) return 'parsed';
  if (status === 304 && isRevalidation) return 'not-modified';
  return status >= 400 && status <= 499 && !TRANSIENT_4XX.includes(status) ? 'none' : 'retry';
}

/** How long an answer is fresh: by its cache headers, ten minutes to a week (data-txt §6, DECISION T8). */
export function dataTxtLifetimeMs(headers: HeaderLookup, receivedAtMs: number): number {
  return lifetimeMs(headers, receivedAtMs, LIFETIME_1996_MS);
}
