// The options of the archive, filled in.

import type { DigestAlgorithm } from './warc-record.js';

/** How exchanges are archived. */
export interface ResolvedArchiveOptions {
  readonly warcBytes: number;
  readonly digest: DigestAlgorithm;
  readonly wacz: boolean;
  /** `null`: in the crawl directory. */
  readonly folder: string | null;
}
