// The questions of `mannerly init`: it asks for what no flag says, and checks every answer as a crawl would.

import { InvalidArgumentError } from 'commander';
import { MannerlyError } from '../../errors.js';
import { resolveOptions } from '../../options/options.js';
import { UsageError } from '../failure.js';
import type { Asker, Question } from '../io.js';
import { argumentReader, commandDefault } from '../option-flags.js';

export interface ProjectPlan {
  readonly name: string;
  readonly contact: string;
  readonly seeds: readonly string[];
  readonly within: 'host' | 'domain';
  readonly bounds: Readonly<Record<Bound, number>> & { readonly depth?: number };
  /** Whether pages are opened in a browser. */
  readonly browser: boolean;
}

/** What the flags say. */
type GivenPlan = Partial<Omit<ProjectPlan, 'bounds'>> & { readonly bounds: Partial<ProjectPlan['bounds']> };

type Bound = 'pages' | 'minutes';
type NeededPart = 'name' | 'contact' | 'seeds';
type Parts = Partial<Pick<ProjectPlan, NeededPart>>;

const NEEDED: readonly (readonly [part: NeededPart, flag: string])[] = [
  ['name', '--name'],
  ['contact', '--contact'],
  ['seeds', '--seed'],
];

const BOUNDS: readonly (readonly [bound: Bound, question: string])[] = [
  ['pages', 'How many pages at most?'],
  ['minutes', 'How many minutes of running time at most?'],
];

/** For the parts that are not checked. */
const VALID = { name: 'crawl', contact: 'https://example.org/', seeds: ['https://example.org/'] } as const;

/**
 * Completes a plan: checks what the flags say, and asks for the rest or takes its default.
 *
 * @param asker - `null`: there is no terminal.
 * @returns `null` when the user wants to stop.
 * @throws MannerlyError for a part that a crawl would refuse; UsageError naming the flags that are missing.
 */
export async function interview(given: GivenPlan, asker: Asker | null): Promise<ProjectPlan | null> {
  for (const [part] of NEEDED) if (given[part] !== undefined) checkParts({ [part]: given[part] });
  if (asker === null) return withDefaults(given);
  const name = given.name ?? (await asker.ask(question('name')));
  if (name === null) return null;
  const contact = given.contact ?? (await asker.ask(question('contact')));
  if (contact === null) return null;
  const seeds = given.seeds ?? (await asker.ask(question('seeds')))?.split(/\s+/);
  if (seeds === undefined) return null;
  const bounds: { -readonly [B in keyof ProjectPlan['bounds']]?: number } = { ...given.bounds };
  for (const [bound, message] of BOUNDS) {
    const most = given.bounds[bound] ?? (await askForBound(asker, bound, message));
    if (most === null) return null;
    bounds[bound] = most;
  }
  const browser = given.browser === undefined ? await asker.ask(BROWSER_QUESTION) : given.browser ? 'y' : 'n';
  if (browser === null) return null;
  return withDefaults({ ...given, name, contact, seeds, bounds, browser: /^y/i.test(browser) });
}

function withDefaults(given: GivenPlan): ProjectPlan {
  const { name, contact, seeds, within = 'host', bounds, browser = false } = given;
  if (name === undefined || contact === undefined || seeds === undefined) {
    const missing = NEEDED.flatMap(([part, flag]) => (given[part] === undefined ? [flag] : []));
    throw new UsageError(
      `missing ${missing.join(', ')}, and there is no terminal to ask for it`,
      'For instance: mannerly init my-crawl --name tidepool-study --contact https://example.org/our-crawler ' +
        '--seed https://docs.example.org/',
    );
  }
  const defaults = BOUNDS.map(([bound]) => [bound, commandDefault(`bounds.${bound}`)] as const);
  return {
    name,
    contact,
    seeds,
    within,
    bounds: { ...Object.fromEntries(defaults), ...bounds } as ProjectPlan['bounds'],
    browser,
  };
}

const QUESTIONS = {
  name: { message: 'Your product token? A short name that sites can address in robots.txt', example: 'tidepool-study' },
  contact: {
    message: 'Where can sites reach you? A page or a mailbox. It is in every request',
    example: 'https://example.org/our-crawler',
  },
  seeds: {
    message: 'Where does the crawl start? One URL, or several separated by spaces',
    example: 'https://docs.example.org/',
  },
} as const;

const BROWSER_QUESTION: Question = {
  message: 'Do scripts make the pages, so that they need a browser? y or n',
  initial: 'n',
  fault: (answer) => (/^(y|yes|n|no)$/i.test(answer) ? null : 'expected y or n'),
};

function question(part: NeededPart): Question {
  const check = (answer: string): void => checkParts({ [part]: part === 'seeds' ? answer.split(/\s+/) : answer });
  return { ...QUESTIONS[part], fault: (answer) => faultOf(() => check(answer)) };
}

async function askForBound(asker: Asker, bound: Bound, message: string): Promise<number | null> {
  const read = argumentReader(`bounds.${bound}`);
  const initial = String(commandDefault(`bounds.${bound}`));
  const answer = await asker.ask({ message, initial, fault: (text) => faultOf(() => read(text)) });
  return answer === null ? null : Number(read(answer));
}

function checkParts(parts: Parts): void {
  const { name, contact, seeds } = { ...VALID, ...parts };
  resolveOptions({ identity: { name, contact }, scope: { seeds }, bounds: { pages: 1 } });
}

/** What a check finds wrong, and what to do; `null`: nothing. */
function faultOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    if (!(error instanceof MannerlyError)) throw error;
    return error.hint === null ? error.message : `${error.message}. ${error.hint}`;
  }
}
