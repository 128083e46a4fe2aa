// Candidates that come by themselves, not with the commit of a page: seeds, what a robots.txt names, a batch of a sitemap.
// Through the door, into the frontier, and a word about each that went no further.

import type { Frontier, NewUrl } from '@mannerly/frontier';
import type { Admit, Refusal } from '../admit/admit.js';
import type { Recorder } from '../record/recorder.js';

/** Candidates, and those that were refused before they came to the door. */
export interface Offered {
  readonly candidates: readonly NewUrl[];
  readonly refused?: readonly Refusal[];
}

/** Offers candidates; resolves when they are queued, or not. Rejects with what the store throws. */
export type Offer = (offered: Offered) => Promise<void>;

/** Makes the offer of one run. */
export function createOffer(admit: Admit, frontier: Pick<Frontier, 'add'>, record: Recorder): Offer {
  return async ({ candidates, refused: before = [] }) => {
    const { admitted, refused } = admit(candidates);
    record.admitted(admitted);
    for (const refusal of [...before, ...refused]) record.refusal(refusal);
    const answers = admitted.length === 0 ? [] : await frontier.add(admitted);
    for (const [at, answer] of answers.entries()) record.seedAnswered(admitted[at] as NewUrl, answer);
  };
}
