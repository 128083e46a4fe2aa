// What a new project is made from, and the check of every part of it: the crawl's own, so that nothing is written that a crawl
// would refuse.

import { createCrawler, MannerlyError } from 'mannerly';

/** A project, complete. */
export interface ProjectPlan {
  readonly name: string;
  readonly contact: string;
  readonly seeds: readonly string[];
  readonly within: 'host' | 'domain';
  readonly bounds: { readonly pages: number; readonly depth: number; readonly minutes: number };
}

/** The parts that have no default. */
export type NeededPart = 'name' | 'contact' | 'seeds';

/** A crawl that nobody would refuse: what is not asked about stands in for itself. */
const FINE = { name: 'crawl', contact: 'https://example.org/', seeds: ['https://example.org/'] } as const;

/**
 * Checks one part as a crawl would.
 *
 * @throws MannerlyError `identity-name`, `identity-contact`, `seed-invalid`.
 */
export function checkPart(part: Partial<Pick<ProjectPlan, NeededPart>>): void {
  const { name, contact, seeds } = { ...FINE, ...part };
  createCrawler({ identity: { name, contact }, scope: { seeds }, bounds: { pages: 1 } });
}

/** What is wrong with a part, with what to do about it; `null`: nothing. */
export function faultOfPart(part: Partial<Pick<ProjectPlan, NeededPart>>): string | null {
  try {
    checkPart(part);
    return null;
  } catch (error) {
    if (!(error instanceof MannerlyError)) throw error;
    return error.hint === null ? error.message : `${error.message}. ${error.hint}`;
  }
}
