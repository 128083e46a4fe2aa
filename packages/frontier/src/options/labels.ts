// Labels of URLs: how many turns their pages get compared with other pages, and how many pages each label may have.

import { MAX_LABEL_CHARS, MAX_LABELS, MAX_PAGES, MAX_WEIGHT, MIN_WEIGHT } from '../limits.js';
import { checkKeys, invalid, numberIn, wholeIn } from '../option-value.js';

/**
 * Settings for the URLs of a label. The label of a URL comes from its route, or else from its host's entry in `hosts`.
 */
export interface LabelEntry {
  readonly label: string;
  /** A page of weight 3 takes a third of a turn. 0.01 … 100 @default 1 */
  readonly weight?: number;
  /** Pages, over all hosts, restarts and processes. 1 … 1e9 @default no bound */
  readonly pages?: number;
}

/** The same, checked. `pages`: `null`: no bound. */
export interface LabelSettings {
  readonly weight: number;
  readonly pages: number | null;
}

/** Checks labels. @returns The settings of each label, by name. @throws FrontierError `option-invalid` */
export function resolveLabels(entries: readonly LabelEntry[]): ReadonlyMap<string, LabelSettings> {
  if (!Array.isArray(entries) || entries.length > MAX_LABELS)
    throw invalid('labels', `a list of at most ${MAX_LABELS} labels`, entries);
  const labels = new Map<string, LabelSettings>();
  for (const [at, entry] of entries.entries()) {
    const path = `labels[${at}]`;
    checkKeys(`${path}.`, entry, ['label', 'weight', 'pages']);
    const { label, weight, pages } = entry as LabelEntry;
    const name = labelIn(`${path}.label`, label);
    if (labels.has(name)) throw invalid(`${path}.label`, 'named once', name);
    const maxPages = pages === undefined ? null : wholeIn(`${path}.pages`, pages, 1, MAX_PAGES);
    labels.set(name, { weight: weightIn(`${path}.weight`, weight), pages: maxPages });
  }
  return labels;
}

/** @throws FrontierError `option-invalid` for an invalid name. */
export function labelIn(name: string, label: string): string {
  if (typeof label === 'string' && label !== '' && label.length <= MAX_LABEL_CHARS) return label;
  throw invalid(name, `a name of 1 to ${MAX_LABEL_CHARS} characters`, label);
}

/** @throws FrontierError `option-invalid` for a weight out of range. */
export function weightIn(name: string, weight = 1): number {
  return numberIn(name, weight, MIN_WEIGHT, MAX_WEIGHT);
}
