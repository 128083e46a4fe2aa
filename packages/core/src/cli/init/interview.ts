// The questions of `mannerly init`: what the flags do not say is asked, where somebody can be asked.

import { InvalidArgumentError } from 'commander';
import type { Asker } from '../asker.js';
import { BOUND_ARGUMENTS, DEFAULT_BOUNDS } from '../bounds-flags.js';
import { UsageError } from '../failure.js';
import { checkPart, faultOfPart, type NeededPart, type ProjectPlan } from './project-plan.js';

/** What the flags say; an absent part was not said. */
export type SaidPlan = Partial<Omit<ProjectPlan, 'bounds'>> & { readonly bounds: Partial<ProjectPlan['bounds']> };

type Bound = keyof ProjectPlan['bounds'];

const NEEDED: readonly (readonly [part: NeededPart, flag: string])[] = [
  ['name', '--name'],
  ['contact', '--contact'],
  ['seeds', '--seed'],
];

const BOUND_QUESTIONS: readonly (readonly [bound: Bound, message: string])[] = [
  ['pages', 'How many pages at most?'],
  ['depth', 'How many links away from the start at most?'],
  ['minutes', 'How many minutes of running time at most?'],
];

/**
 * Completes a plan: what was said is checked first, the rest is asked, or has its default.
 *
 * @param asker - `null`: nobody can or shall be asked.
 * @returns `null` when the person does not want to go on.
 * @throws MannerlyError for a part that a crawl would refuse; UsageError naming the flags that are missing.
 */
export async function interview(said: SaidPlan, asker: Asker | null): Promise<ProjectPlan | null> {
  for (const [part] of NEEDED) if (said[part] !== undefined) checkPart({ [part]: said[part] });
  if (asker === null) return withDefaults(said);
  const name = said.name ?? (await askForText(asker, 'name'));
  if (name === null) return null;
  const contact = said.contact ?? (await askForText(asker, 'contact'));
  if (contact === null) return null;
  const seeds = said.seeds ?? (await askForSeeds(asker));
  if (seeds === null) return null;
  const bounds: Partial<Record<Bound, number>> = {};
  for (const [bound, message] of BOUND_QUESTIONS) {
    const most = said.bounds[bound] ?? (await askForBound(asker, bound, message));
    if (most === null) return null;
    bounds[bound] = most;
  }
  return withDefaults({ ...said, name, contact, seeds, bounds });
}

function withDefaults(said: SaidPlan): ProjectPlan {
  const { name, contact, seeds, within = 'host', bounds } = said;
  if (name === undefined || contact === undefined || seeds === undefined) {
    const missing = NEEDED.flatMap(([part, flag]) => (said[part] === undefined ? [flag] : []));
    throw new UsageError(
      `missing ${missing.join(', ')}: nobody can be asked here`,
      'Say who asks, where your people can be reached and where the crawl begins: mannerly init my-crawl --name tidepool-study --contact https://example.org/our-crawler --seed https://docs.example.org/',
    );
  }
  return { name, contact, seeds, within, bounds: { ...DEFAULT_BOUNDS, ...bounds } };
}

const TEXT_QUESTIONS = {
  name: { message: 'Who asks? A short name, which sites can address in robots.txt', example: 'tidepool-study' },
  contact: {
    message: 'Where can you be reached? A page or a mailbox; it stands in every request',
    example: 'https://example.org/our-crawler',
  },
} as const;

async function askForText(asker: Asker, part: 'name' | 'contact'): Promise<string | null> {
  return asker.ask({ ...TEXT_QUESTIONS[part], fault: (answer) => faultOfPart({ [part]: answer }) });
}

async function askForSeeds(asker: Asker): Promise<readonly string[] | null> {
  const answer = await asker.ask({
    message: 'Where does the crawl begin? One URL, or several with blanks between them',
    example: 'https://docs.example.org/',
    fault: (text) => faultOfPart({ seeds: text.split(/\s+/) }),
  });
  return answer === null ? null : answer.split(/\s+/);
}

async function askForBound(asker: Asker, bound: Bound, message: string): Promise<number | null> {
  const read = BOUND_ARGUMENTS[bound];
  const answer = await asker.ask({
    message,
    initial: String(DEFAULT_BOUNDS[bound]),
    fault: (text) => faultOfNumber(read, text),
  });
  return answer === null ? null : read(answer);
}

function faultOfNumber(read: (text: string) => number, text: string): string | null {
  try {
    read(text);
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
}
