// `mannerly robots`: a robots.txt as it was read, its oddities, and a verdict per URL with its reason.

import { open } from 'node:fs/promises';
import { type CompileOptions, compileRules, parseRobots, RobotsError, type RobotsRules } from '@mannerly/robots';
import { robotsUrl } from '@mannerly/robots/access';
import { diagnose, diagnosticMeaning } from '@mannerly/robots/diagnostics';
import { explain } from '@mannerly/robots/explain';
import { parseUrl } from '../../parse-url.js';
import { identityFrom } from '../crawl-flags.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { askForRobots } from '../one-answer.js';
import { askedText, diagnosticsText, documentText, type UrlVerdict, verdictText } from '../robots-text.js';

/** The flags as commander hands them over. */
export interface RobotsFlags {
  readonly name?: string;
  readonly contact?: string;
  readonly agent?: string;
  readonly dialect: string;
  readonly policy: string;
  readonly allowAddress?: string[];
  readonly json?: boolean;
}

/** Bytes of a file that are looked at: what the parser reads at most, and one more to see that there are more. */
const MAX_FILE_BYTES = 8 * 1024 * 1024 + 1;
/** Read for no one in particular: a token that no file is expected to name. */
const NO_CALLBACK = 'mannerly';

/**
 * Runs the command.
 *
 * @returns The exit code; that a URL is disallowed is no error.
 * @throws UsageError, MannerlyError, RobotsError
 */
export async function robotsCommand(
  source: string,
  urls: readonly string[],
  flags: RobotsFlags,
  io: CliIo,
): Promise<number> {
  for (const url of urls) {
    if (!url.startsWith('/') && parseUrl(url) === null) {
      throw new UsageError(`"${url}" is neither a URL nor a path`, 'Write https://example.org/page or /page.');
    }
  }
  const isUrl = /^https?:\/\//i.test(source);
  const body = isUrl ? await fetched(source, flags, io) : await readWhole(source);
  if (body === null) return EXIT.ok;
  const document = parseRobots(body, isUrl ? { robotsUrl: robotsUrl(source) ?? source } : {});
  const rules = compile(flags, document);
  const verdicts = urls.map((url) => ({ url, ...explain(rules, url) }));
  if (flags.json === true) io.out(JSON.stringify(asJson(document, rules, verdicts), null, 2));
  else printText(document, rules, verdicts, io);
  return EXIT.ok;
}

function compile(flags: RobotsFlags, document: ReturnType<typeof parseRobots>): RobotsRules {
  try {
    const { agent = flags.name ?? NO_CALLBACK, dialect, policy } = flags;
    return compileRules(document, { tokens: agent.split(','), dialect, policy } as CompileOptions);
  } catch (error) {
    if (error instanceof RobotsError) throw new UsageError(error.message);
    throw error;
  }
}

/** The body from the site; `null` when none came, which has been told. */
async function fetched(source: string, flags: RobotsFlags, io: CliIo): Promise<Uint8Array | null> {
  const url = parseUrl(source);
  if (url === null) throw new UsageError(`"${source}" is not a URL`);
  const identity = identityFrom(flags);
  const answer = await askForRobots(url.origin, { identity, allowAddress: flags.allowAddress ?? [] });
  if (answer.kind === 'body') return answer.body;
  io.out(`No rules from ${robotsUrl(source) ?? source}: ${answer.why}.`);
  return null;
}

async function readWhole(path: string): Promise<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw new UsageError(
      `${path} cannot be read: ${String(error)}`,
      'Name a file, or a URL that begins with http:// or https://.',
    );
  });
  try {
    const bytes = Buffer.alloc(Math.min(MAX_FILE_BYTES, (await file.stat()).size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function printText(
  document: ReturnType<typeof parseRobots>,
  rules: RobotsRules,
  verdicts: readonly UrlVerdict[],
  io: CliIo,
): void {
  const asked = askedText(rules);
  const oddities = diagnosticsText(document);
  io.out(documentText(document, rules));
  if (asked !== '')
    io.out(`\nWhat it asks of ${rules.agents.length === 0 ? 'us' : rules.agents.join(', ')}:\n${asked}`);
  if (oddities !== '') io.out(`\nOddities:\n${oddities}`);
  for (const warning of rules.warnings) io.out(`\nNote: ${warning}`);
  for (const verdict of verdicts) io.out(`\n${verdictText(verdict)}`);
}

function asJson(
  document: ReturnType<typeof parseRobots>,
  rules: RobotsRules,
  verdicts: readonly UrlVerdict[],
): unknown {
  return {
    truncated: document.truncated,
    groups: document.groups.map((group) => ({
      ...group,
      speaksToUs: group.agentLines.some((line) => rules.groupLines.includes(line)),
    })),
    sitemaps: document.sitemaps,
    host: document.host,
    cleanParams: document.cleanParams,
    pleaseVisit: document.pleaseVisit,
    unknown: document.unknown,
    orphans: document.orphans,
    diagnostics: diagnose(document).map((diagnostic) => ({
      ...diagnostic,
      meaning: diagnosticMeaning(diagnostic.code),
    })),
    asks: {
      agents: rules.agents,
      crawlDelayMs: rules.crawlDelayMs,
      requestRates: rules.requestRates,
      visitWindows: rules.visitWindows,
      robotVersion: rules.robotVersion,
      comments: rules.comments,
      noindex: rules.noindex,
    },
    verdicts,
  };
}
