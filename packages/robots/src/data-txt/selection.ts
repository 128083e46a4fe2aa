// Which records of a data.txt apply to a crawler, and what its Allow and Disallow lines mean, by the 1996 reading
// (data-txt §5). robots.txt alone decides about crawling: a Disallow here only keeps a URL from being fetched as a
// dataset found here, and an Allow permits nothing.

import { bytesOf } from '../bytes.js';
import { MAX_DATA_TXT_RULES, MAX_DATASETS } from '../limits.js';
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
  const general = document.records.filter(({ agents }) => agents.length === 0);
  const named = document.records.filter((record) => record.agents.length > 0 && record.block === block);
  const ours = document.records.filter((record) => record.agents.length === 0 || record.block === block);
  const lists = [ruleList(named), ruleList(general)];
  return {
    offers: ours
      .flatMap((record) => (record.dataset === null ? [] : [{ dataset: record.dataset, record }]))
      .slice(0, MAX_DATASETS),
    decide(url) {
      const read = readUrl(url);
      if (read === null) return DENIED;
      const { pathname, search } = read;
      if (pathname === '/robots.txt' && search === '') return ALLOWED;
      const text = canonical(bytesOf(pathname + search), 'decoded', false);
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
    record.rules.map(([kind, pattern], at) => ({ kind, pattern, line: record.ruleLines[at] ?? record.line })),
  );
  if (rules.length > MAX_DATA_TXT_RULES) return null;
  // An empty pattern matches nothing (robots §7.3).
  return rules
    .filter(({ pattern }) => pattern !== '')
    .map(({ kind, pattern, line }) => ({
      allows: kind === 'allow',
      pattern: canonical(bytesOf(pattern), 'decoded', true),
      line,
    }));
}

/** The first match in file order decides; no match allows (robots §5.3, §7.2). */
function decideBy(rules: RuleList, text: string): DataTxtDecision {
  if (rules === null) return DENIED;
  const rule = rules.find(({ pattern }) => text.startsWith(pattern));
  return rule === undefined ? ALLOWED : { allowed: rule.allows, line: rule.line };
}
