// `mannerly licence`: what the licences of a page say, as Mannerly reads them, and what each purpose may do. It
// requests robots.txt, the page and the documents, at each host's pace, as a crawl would.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileRules, parseRobots } from '@mannerly/robots';
import type { Purpose } from '@mannerly/robots/page';
import { readValues } from '../../directory/read-lines.js';
import { assessLicenses, type LicenseVerdict } from '../../licensing/license-terms.js';
import { Licenses, type ReadLicense, termsText } from '../../licensing/licenses.js';
import { fill } from '../../options/check.js';
import type { IdentityOptions } from '../../options/crawler-options.js';
import { OPTIONS } from '../../options/table.js';
import { parseUrl } from '../../parse-url.js';
import { present } from '../../present.js';
import { reasonOf } from '../../report/reasons.js';
import { plural, printable, tableText } from '../../report/table.js';
import { isRobotsCopy } from '../../run/run-manifest.js';
import { identityFrom } from '../crawl-flags.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { isSiteAnswer, NO_RETRIES, singleCrawl } from '../single-request.js';

const PURPOSES: readonly Purpose[] = ['search', 'archive', 'tdm', 'other', 'ai-input', 'ai-train'];
const KEEPS_PAGE = 'keeps the page, and its licence with it';
/** A page whose response names the licence has already been requested. */
const EFFECTS: Readonly<Record<ReadLicense['namedBy'], Readonly<Record<LicenseVerdict['effect'], string>>>> = {
  'robots.txt': {
    none: KEEPS_PAGE,
    held: 'does not request the page: held until a person acts',
    prohibited: 'does not request the page: excluded',
  },
  response: {
    none: KEEPS_PAGE,
    held: 'requests the page, and keeps nothing of it until a person acts',
    prohibited: 'requests the page, keeps nothing of it and follows no link',
  },
};
/** Reads every document, and lets none affect the one page that is requested. */
const READ_ALL = fill(
  '',
  { licensing: OPTIONS.licensing },
  { licensing: { mode: 'observe', read: 'always' } },
).licensing;

type PageLicenses =
  | { readonly documents: readonly ReadLicense[] }
  | { readonly why: string; readonly isSiteAnswer: boolean };

/**
 * Runs the command. A page without a licence is not an error; a page that does not answer is.
 * @throws UsageError, MannerlyError
 */
export async function licenceCommand(source: string, flags: Flags, io: CliIo): Promise<number> {
  const url = parseUrl(source)?.href;
  if (url === undefined || !/^https?:/.test(url)) {
    throw new UsageError(`"${source}" is not the URL of a page`, 'Write it whole: https://example.org/page');
  }
  const { user, country } = flags;
  const party = present({ user, country });
  const found = await documentsOf(url, identityFrom(flags), flags.allowAddress);
  if ('why' in found) {
    const { why } = found;
    io.out(flags.json === true ? json({ url, documents: [], why }) : `No licence of ${url}: ${why}.`);
    return found.isSiteAnswer ? EXIT.ok : EXIT.failed;
  }
  const verdicts = PURPOSES.map((purpose) =>
    assessLicenses(url, found.documents, {
      purposes: [purpose],
      party,
      accepted: [],
      licensedOrigins: [],
      isStrict: false,
    }),
  );
  if (flags.json === true) io.out(json({ url, ...found, verdicts }));
  else printText(url, found.documents, verdicts, io);
  return EXIT.ok;
}

/** Crawls one page and reads the licences from within the crawl. */
async function documentsOf(url: string, identity: IdentityOptions, allowAddresses?: string[]): Promise<PageLicenses> {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-licence-'));
  let found = null as PageLicenses | null;
  const anywhere = { scope: { seeds: [url], within: 'any' }, licensing: { mode: 'off' } } as const;
  const crawler = singleCrawl(url, identity, allowAddresses, anywhere);
  crawler.events.on('decision', ({ status, reason, httpStatus }) => {
    const means = (reasonOf(reason)?.meaning ?? '').replace(/\.$/, '');
    if (status !== 'fetched')
      found ??= {
        why: `the page is ${status}: ${reason}. ${means}`,
        isSiteAnswer: isSiteAnswer({ status, httpStatus }),
      };
  });
  crawler.on('any', async (page) => {
    const licenses = await namedByRobots(out, page.url, identity.name);
    const reader = new Licenses({
      store: { readRecord: async () => null, writeRecord: async () => undefined },
      options: READ_ALL,
      purposes: [],
      tokens: { validOrigins: () => [], expiringBefore: () => [] },
      fetch: (document, options) => page.fetch(document, options),
      onLoaded: () => undefined,
      retries: NO_RETRIES,
      nowMs: Date.now,
      report: () => undefined,
    });
    found = { documents: await reader.documentsOf({ url: page.url, signals: { licenses } }, page, await page.bytes()) };
  });
  try {
    await crawler.run({ out });
    if (found === null) return { why: 'the page was not requested', isSiteAnswer: false };
    const isEmpty = 'documents' in found && found.documents.length === 0;
    return isEmpty ? { why: 'none is named for it', isSiteAnswer: true } : found;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** Uses the copy of robots.txt that was kept for the page's authority. */
async function namedByRobots(out: string, pageUrl: string, token: string): Promise<readonly string[]> {
  const { origin } = new URL(pageUrl);
  let named: readonly string[] = [];
  for await (const { authority, hash } of readValues(join(out, 'robots', 'index.jsonl'), isRobotsCopy)) {
    if (authority !== origin) continue;
    const body = await readFile(join(out, 'robots', `${hash}.txt`));
    named = compileRules(parseRobots(body, { robotsUrl: `${origin}/robots.txt` }), { tokens: token }).licenses;
  }
  return named;
}

function printText(
  url: string,
  documents: readonly ReadLicense[],
  verdicts: readonly LicenseVerdict[],
  io: CliIo,
): void {
  io.out(`${url} has ${plural(documents.length, 'licence')}:`);
  for (const { document, reading } of documents) {
    const isRead = reading?.kind === 'read';
    const state = isRead
      ? `holds for ${plural(reading.maxAgeDays, 'day')}`
      : `cannot be read: ${reading?.reason ?? 'no'}`;
    io.out(`  ${printable(document, 500)}: ${printable(state)}`);
    for (const remark of isRead ? reading.remarks : []) io.out(`    ${printable(remark, 500)}`);
  }
  io.out('');
  io.out(
    tableText<LicenseVerdict>(
      [
        ['Purpose', 'left', ({ purpose }) => purpose ?? ''],
        ['It says', 'left', (verdict) => printable(termsText(verdict))],
        ['Where', 'left', ({ element }) => element ?? ''],
        ['A crawl with this purpose', 'left', ({ effect }) => EFFECTS[documents[0]?.namedBy ?? 'robots.txt'][effect]],
      ],
      verdicts,
    ),
  );
  io.out('\nrobots.txt decides first: no licence allows what it disallows. Nothing is paid or accepted here.');
}
