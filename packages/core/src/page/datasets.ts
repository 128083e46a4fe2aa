// Datasets that sites name in their /data.txt. They are reported as events, and queued only if an option says so.
// Descriptors are untrusted text. An unreadable data.txt holds and excludes nothing (data-txt §2).

import type { NewUrl } from '@mannerly/frontier';
import { type Dataset, dataTxtOutcome, parseDataTxt, viewDataTxt } from '@mannerly/robots/data-txt';
import type { FetchOutcome } from '../fetch/outcome.js';

/** A dataset that a site offers. */
export interface DatasetFound {
  /** The data.txt that names it, as first requested. */
  readonly fileUrl: string;
  /** Line of its record. */
  readonly line: number;
  readonly dataset: Dataset;
  /** Whether data.txt's own rules let us fetch it as a dataset; robots.txt applies too. */
  readonly isAllowed: boolean;
}

/** Reads the data.txt files of one run and reports their offers. @returns The URLs to queue. Never throws. */
export type ReadDatasets = (fileUrl: string, outcome: FetchOutcome) => readonly NewUrl[];

/** Makes the reader of one run. @param enqueue - Whether datasets are queued, labelled `dataset`. */
export function datasetReader(tokens: readonly string[], enqueue: boolean, report: (found: DatasetFound) => void) {
  return (fileUrl: string, outcome: FetchOutcome): readonly NewUrl[] => {
    if (outcome.kind === 'failed' || outcome.truncated === 'connection') return [];
    if (dataTxtOutcome({ kind: 'response', status: outcome.status }) !== 'parsed') return [];
    const view = viewDataTxt(parseDataTxt(outcome.body, { base: fileUrl }), tokens);
    return view.offers.flatMap(({ dataset, record }): NewUrl[] => {
      const { url } = dataset;
      if (url === undefined) return [];
      const isAllowed = view.decide(url).allowed;
      report({ fileUrl, line: record.line, dataset, isAllowed });
      return enqueue && isAllowed ? [{ url, depth: 1, via: 'dataset', from: fileUrl, label: 'dataset' }] : [];
    });
  };
}
