// The commands and their flags, as commander reads them. Each command's work is a file of its own in `commands/`, loaded when it is
// called: of what a crawl that goes on takes before its first request, loading is the most.

import { Command, Option } from 'commander';
import { EXPORT_FORMATS, MANNERLY_VERSION } from 'mannerly';
import type { AuditFlags } from './commands/audit.js';
import { crawlCommand } from './commands/crawl.js';
import type { DatasetsFlags } from './commands/datasets.js';
import type { ExplainFlags } from './commands/explain.js';
import type { ExportFlags } from './commands/export.js';
import type { QueueFlags } from './commands/queue.js';
import type { ReplayFlags } from './commands/replay.js';
import type { RobotsFlags } from './commands/robots.js';
import type { WaczFlags } from './commands/wacz.js';
import { type CrawlFlags, withCrawlFlags } from './crawl-flags.js';
import { givenFlags } from './crawl-setup.js';
import { EXIT, EXIT_HELP } from './exit-codes.js';
import { reportFailure, UsageError } from './failure.js';
import { numberArgument } from './flag-values.js';
import { withIdentity } from './identity-flags.js';
import { type InitFlags, withInit } from './init/init-flags.js';
import type { CliIo } from './io.js';
import { type StoreFlags, storeOption } from './store-flags.js';

const CRAWL_HELP = `
Examples:
  mannerly crawl https://docs.example.org/ --name tidepool-study --contact https://example.org/our-crawler
  mannerly crawl https://example.org/ --within domain --pages 1000 --depth 8 --out tidepools \\
      --name tidepool-study --contact crawler@example.org
  mannerly crawl https://example.org/ --out tidepools --retry "timeout-*" \\
      --name tidepool-study --contact crawler@example.org
  mannerly crawl http://127.0.0.1:8080/ --allow-address 127.0.0.0/8 --interval 0 --name me --contact me@example.org

The crawl reads robots.txt first, asks one thing at a time of a host, waits as the host asks, and leaves alone what is closed.
It follows every link of every HTML page and writes { url, title, status, depth } per page to items.jsonl.
${EXIT_HELP}`;

const PLAN_HELP = `
Its flags are those of crawl: try the same line with "plan" first. It asks for robots.txt and sitemaps, as politely as the crawl,
and for nothing else; with --out DIR it logs that in DIR.plan. What is not in a sitemap it cannot know: there it reckons with as
many pages as the bounds allow. docs/plan.md says more.
${EXIT_HELP}`;

const ROBOTS_HELP = `
Examples:
  mannerly robots robots.txt https://example.org/private --agent mybot
  mannerly robots https://example.org/robots.txt https://example.org/a https://example.org/b --agent mybot \\
      --name mybot --contact https://example.org/us
`;

const QUESTION_HELP = `
It asks nobody anything and changes nothing. While a run has the directory its queue is left alone: explain answers from the
logs, queue asks you to come back.`;

const AUDIT_HELP = `
It reads requests.jsonl and the copies in robots/, asks nobody anything and changes nothing. Exit code 0: no violation;
5: a violation, or no request to judge. docs/audit.md says what is judged, and by which fields.`;

/** URLs of one page of a queue. */
const MAX_LISTED = 1_000;

/**
 * Runs one command line.
 *
 * @param argv - The arguments after the command's own name.
 * @returns The exit code; errors have been told on standard error.
 * @throws Never
 */
export async function runCommand(argv: readonly string[], io: CliIo): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(io, (ended) => {
    code = ended;
  });
  try {
    refuseBareUrl(argv);
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** The likeliest first call of all. @throws UsageError */
function refuseBareUrl([first = '']: readonly string[]): void {
  if (!/^https?:\/\//i.test(first)) return;
  throw new UsageError(
    `"${first}" is no command`,
    `To crawl it: mannerly crawl ${first} --name <who-asks> --contact <where-to-reach-you>`,
  );
}

function createProgram(io: CliIo, done: (code: number) => void): Command {
  const program = new Command('mannerly')
    .description('A polite crawler: it reads, asks, waits, and only then fetches.')
    .version(MANNERLY_VERSION)
    .exitOverride()
    .showHelpAfterError('What it takes: mannerly <command> --help.')
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) })
    .addHelpText('after', EXIT_HELP);

  withCrawlFlags(
    program.command('crawl').description('crawl from one or more seeds').argument('[seed...]', 'where to start'),
  )
    .addHelpText('after', CRAWL_HELP)
    .action(async (seeds: string[], flags: CrawlFlags, command: Command) =>
      done(await crawlCommand(seeds, { ...flags, given: givenFlags(command) }, io)),
    );

  withCrawlFlags(
    program
      .command('plan')
      .description('say what a crawl may fetch, how long it takes and what ends it, from robots.txt and sitemaps')
      .argument('[seed...]', 'where the crawl would start'),
  )
    .addHelpText('after', PLAN_HELP)
    .action(async (seeds: string[], flags: CrawlFlags, command: Command) =>
      done(await (await import('./commands/plan.js')).planCommand(seeds, { ...flags, given: givenFlags(command) }, io)),
    );

  withInit(program.command('init')).action(async (directory: string, flags: InitFlags) =>
    done(await (await import('./commands/init.js')).initCommand(directory, flags, io)),
  );

  withIdentity(program.command('robots').description('read a robots.txt and ask it about URLs'))
    .argument('<source>', 'a file, or the URL of a site or of its robots.txt')
    .argument('[url...]', 'URLs to ask about')
    .option('--agent <token>', 'the product token to read it for (default: --name, else *)')
    .option('--dialect <name>', 'rfc9309, google, 1996 or 1994', 'rfc9309')
    .option('--policy <name>', 'base, declared, declared-only or strictest', 'declared')
    .option('--allow-address <cidr...>', 'reach this private address range too')
    .option('--json', 'print JSON')
    .addHelpText('after', ROBOTS_HELP)
    .action(async (source: string, urls: string[], flags: RobotsFlags) =>
      done(await (await import('./commands/robots.js')).robotsCommand(source, urls, flags, io)),
    );

  program
    .command('explain')
    .description('say why a URL was, was not or is not yet fetched, or what a host waits for')
    .argument('<dir>', 'the crawl directory; none with --store')
    .argument('[url-or-host]', 'https://example.org/page, or example.org')
    .addOption(storeOption())
    .option('--json', 'print JSON')
    .addHelpText('after', QUESTION_HELP)
    .action(async (first: string, second: string | undefined, flags: ExplainFlags) =>
      done(await (await import('./commands/explain.js')).explainCommand(first, second, flags, io)),
    );

  program
    .command('queue')
    .description('list what a stopped crawl has queued')
    .argument('[dir]', 'the crawl directory')
    .addOption(storeOption())
    .option('--host <name>', 'only URLs of this host')
    .option('--limit <n>', 'URLs printed at most', numberArgument(1, MAX_LISTED, true), 100)
    .option('--cursor <text>', 'go on where the last page ended')
    .option('--json', 'print JSON')
    .addHelpText('after', QUESTION_HELP)
    .action(async (directory: string | undefined, flags: QueueFlags) =>
      done(await (await import('./commands/queue.js')).queueCommand(directory, flags, io)),
    );

  program
    .command('report')
    .description(
      'print the politeness report of a crawl directory, from its logs; or what a crawl on a server has come to',
    )
    .argument('[dir]', 'the crawl directory')
    .addOption(storeOption())
    .option('--json', 'print JSON')
    .action(async (directory: string | undefined, flags: StoreFlags & { json?: boolean }) =>
      done(await (await import('./commands/report.js')).reportCommand(directory, flags, io)),
    );

  program
    .command('audit')
    .description('judge the politeness of a crawl from its request log, without the code that planned it')
    .argument('<dir...>', 'the crawl directory, or those of all machines that shared the crawl')
    .option('--tolerance <ms>', 'milliseconds a request may be early (default: 0)', numberArgument(0, 60_000, true))
    .option('--limit <n>', 'violations printed at most', numberArgument(0, 1_000, true), 20)
    .option('--json', 'print JSON')
    .addHelpText('after', AUDIT_HELP)
    .action(async (directories: string[], flags: AuditFlags) =>
      done(await (await import('./commands/audit.js')).auditCommand(directories, flags, io)),
    );

  program
    .command('replay')
    .description('run handlers again over what a crawl archived, without the network')
    .argument('<dir>', 'the crawl directory; its crawl had --warc')
    .option('--handlers <file>', 'a module that exports `handlers` (default: those of `mannerly crawl`)')
    .option('--items <file>', 'where items go (default: replayed.jsonl in the crawl directory)')
    .option('--csv <file>', 'write items to this CSV file too')
    .option('--json', 'print JSON')
    .action(async (directory: string, flags: ReplayFlags) =>
      done(await (await import('./commands/replay.js')).replayCommand(directory, flags, io)),
    );

  program
    .command('wacz')
    .description("package a crawl's archive as one WACZ file")
    .argument('<dir>', 'the crawl directory; its crawl had --warc')
    .option('--to <file>', 'the file (default: archive.wacz in the crawl directory)')
    .option('--title <text>', 'its title (default: who crawled, and where it began)')
    .option('--json', 'print JSON')
    .action(async (directory: string, flags: WaczFlags) =>
      done(await (await import('./commands/wacz.js')).waczCommand(directory, flags, io)),
    );

  program
    .command('export')
    .description(
      'print the items of a crawl as JSON lines, or write them as CSV or Parquet: of all its processes, each once',
    )
    .argument('<dir...>', 'the crawl directory; several: those of all machines of one crawl')
    .option('--to <file>', 'write them into this file, which must not exist yet')
    .option('--csv <file>', 'write them as a table into this CSV file, which must not exist yet')
    .addOption(
      new Option(
        '--format <name>',
        "the file's format (default: as its name ends; parquet needs hyparquet-writer)",
      ).choices([...EXPORT_FORMATS]),
    )
    .option('--json', 'with --to: print what was written as JSON')
    .action(async (directories: string[], flags: ExportFlags) =>
      done(await (await import('./commands/export.js')).exportCommand(directories, flags, io)),
    );

  // A process of `crawl --workers`, for nobody to type.
  program
    .command('worker', { hidden: true })
    .action(async () => done(await (await import('./commands/worker.js')).workerCommand(io)));

  withIdentity(program.command('datasets').description("list a site's datasets, from its data.txt"))
    .argument('<site>', 'the URL of the site')
    .option('--allow-address <cidr...>', 'reach this private address range too')
    .option('--json', 'print JSON')
    .action(async (site: string, flags: DatasetsFlags) =>
      done(await (await import('./commands/datasets.js')).datasetsCommand(site, flags, io)),
    );

  return program;
}
