// The commands and their flags. Each command is in a file of `commands/`, which is loaded when the command is called.

import { Argument, Command, Option } from 'commander';
import { MANNERLY_VERSION } from '../directory/crawl-manifest.js';
import type { ExportFormat } from '../output/export-items.js';
import { storeOption, withCrawlFlags, withFlagsOf, withIdentity } from './crawl-flags.js';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.js';
import { reportFailure, UsageError } from './failure.js';
import type { CliIo } from './io.js';
import { collected, numberArgument, RAW_CELLS } from './option-flags.js';

const CRAWL_HELP = `
Examples:
  mannerly crawl https://docs.example.org/ --name tidepool-study --contact https://example.org/our-crawler
  mannerly crawl https://example.org/ --within domain --pages 1000 --depth 8 --out tidepools \\
      --name tidepool-study --contact crawler@example.org
  mannerly crawl --seeds seeds.txt --name tidepool-study --contact crawler@example.org
  mannerly crawl https://example.org/ --out tidepools --retry "timeout-*" \\
      --name tidepool-study --contact crawler@example.org
  mannerly crawl http://127.0.0.1:8080/ --allow-address 127.0.0.0/8 --interval 0 --name me --contact me@example.org

The crawl reads robots.txt first and sends one request at a time to a host. Without handlers of your own (docs/config.md) it
follows every link of every HTML page, and writes { url, title, status, depth } of each page to items.jsonl.
${EXIT_CODES_HELP}`;

const PLAN_HELP = `
Its flags are those of crawl: try the same line with "plan" first. It requests robots.txt and sitemaps, as politely as the
crawl, and nothing else. With --out DIR it logs that in DIR.plan. Where there is no sitemap it assumes as many pages as the
bounds allow. docs/plan.md says more.

With --again it requests nothing. It says what "crawl --again" would visit, in which order, and how fresh the copy is. A crawl
directory is enough then: mannerly plan --again DIR.
${EXIT_CODES_HELP}`;

const SERVE_HELP = `
Example:
  mannerly serve https://docs.example.org/ --out tidepools --listen 8080 \\
      --name tidepool-study --contact crawler@example.org

Its flags are those of crawl. It prints the address of the API and the token that every request needs, new at each start
unless MANNERLY_DASHBOARD_TOKEN has one. It ends by Ctrl-C, POST /api/stop, or a bound (--pages, --minutes).
${EXIT_CODES_HELP}`;

const INIT_HELP = `
Examples:
  mannerly init my-crawl
  mannerly init my-crawl --yes --name tidepool-study --contact https://example.org/our-crawler \\
      --seed https://docs.example.org/ --pages 200

It asks for what no flag says. Without a terminal, or with --yes, --name, --contact and --seed are required and the rest has
its default. It writes a configuration, handlers, a test of them and a package.json into a directory that is empty or new. It
sends no request and installs nothing.`;

const ROBOTS_HELP = `
Examples:
  mannerly robots robots.txt https://example.org/private --agent mybot
  mannerly robots https://example.org/robots.txt https://example.org/a https://example.org/b --agent mybot \\
      --name mybot --contact https://example.org/us
`;

const INSPECTION_HELP = `
It sends no request and changes nothing. While a run has the directory open, explain answers from the logs, and queue ends with
exit code 2.`;

const AUDIT_HELP = `
It reads requests.jsonl, the copies in robots/ and the requests in the archive, sends no request and changes nothing. Exit code 0: no violation;
5: a violation, or no request to judge. docs/audit.md says what is judged, and by which fields.`;

const IDENTITY_HELP = `
check <url> requests what is published, verify the directories of those who sign, verify --live a page and its robots.txt; the
others send no request. docs/identity.md says what to do with the folder.`;

const MAX_LISTED = 1_000;
const EXPORT_FORMATS: readonly ExportFormat[] = ['jsonl', 'csv', 'parquet'];

/** Runs one command line. @returns The exit code. Errors are written to standard error. */
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

/** Says what is missing in a likely first try. @throws UsageError */
function refuseBareUrl([first = '']: readonly string[]): void {
  if (!/^https?:\/\//i.test(first)) return;
  const hint = `To crawl it: mannerly crawl ${first} --name <your-product-token> --contact <where-to-reach-you>`;
  throw new UsageError(`"${first}" is no command`, hint);
}

/** The program. @param done - Called with the exit code of the command that ran. */
export function createProgram(io: CliIo, done: (code: number) => void): Command {
  const program = new Command('mannerly')
    .description('A polite web crawler.')
    .version(MANNERLY_VERSION)
    .exitOverride()
    .showHelpAfterError('For help: mannerly <command> --help.')
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) })
    .addHelpText('after', EXIT_CODES_HELP);
  const run: Runner =
    (load) =>
    async (...given) => {
      const command = (await load()) as (...args: unknown[]) => Promise<number>;
      // Commander adds its own object as the last argument.
      done(await command(...given.slice(0, -1), io));
    };
  addCrawlCommands(program, run);
  addSiteCommands(program, run);
  addInspectionCommands(program, run);
  addArchiveCommands(program, run);
  return program;
}

/** Makes the action of a command: loads it, and runs it with its arguments, its flags and the `CliIo`. */
type Runner = (load: () => Promise<(...args: never[]) => Promise<number>>) => (...given: unknown[]) => Promise<void>;

function addCrawlCommands(program: Command, run: Runner): void {
  withCrawlFlags(
    program.command('crawl').description('crawl from one or more seeds').argument('[seed...]', 'seed URLs'),
  )
    .addHelpText('after', CRAWL_HELP)
    .action(run(async () => (await import('./commands/crawl.js')).crawlCommand));

  withCrawlFlags(
    program
      .command('plan')
      .description('say what a crawl may fetch, how long it takes and what ends it, from robots.txt and sitemaps')
      .argument('[seed...]', 'seed URLs'),
  )
    .addHelpText('after', PLAN_HELP)
    .action(run(async () => (await import('./commands/plan.js')).planCommand));

  withCrawlFlags(
    program
      .command('serve')
      .description('crawl, stay open, and take URLs and questions over HTTP from other programs')
      .argument('[seed...]', 'seed URLs'),
  )
    .optionsGroup('The HTTP API:')
    .option('--listen <[address:]port>', 'where it listens (default: any free port of 127.0.0.1)')
    .option('--listen-name <host>', 'a host name under which it may be requested (repeatable)', collected<string>)
    .addHelpText('after', SERVE_HELP)
    .action(run(async () => (await import('./commands/serve.js')).serveCommand));

  const init = program
    .command('init')
    .description('write a small TypeScript project: a crawl that runs, and its test')
    .argument('[dir]', 'a directory that is empty or does not exist yet', '.');
  withFlagsOf(withIdentity(init), /^bounds\.(pages|depth|minutes)$/)
    .option('--seed <url>', 'where the crawl starts (repeatable)', collected<string>)
    .addOption(
      new Option('--within <scope>', 'where it may go: the hosts or the domains of the seeds (default: host)').choices([
        'host',
        'domain',
      ]),
    )
    .option('--browser', 'open pages in a Chromium of yours')
    .option('--yes', 'ask nothing: what no flag says has its default')
    .addHelpText('after', INIT_HELP)
    .action(run(async () => (await import('./commands/init.js')).initCommand));

  withFlagsOf(
    program
      .command('identity')
      .description('make the key that a crawler signs with, and the folder that says who it is')
      .addArgument(
        new Argument('<action>', 'make a key, the folder, a new key; check it; verify requests').choices([
          'init',
          'publish',
          'rotate',
          'check',
          'verify',
        ]),
      )
      .argument('[target]', 'check: the URL of the directory; verify: a file, or a folder of WARC files'),
    /^identity\.name$/,
  )
    .option('--key <file>', 'init: where the key goes (default: ~/.config/mannerly/<name>.key)')
    .option('--config <file>', 'the configuration (default: mannerly.config.json, .js or .ts here)')
    .option('--also <file>', 'publish: list the key in this file too (repeatable)', collected<string>)
    .option('--to <dir>', 'publish, rotate, check: the folder (default: identity)')
    .option('--leaked', 'rotate: others have the key: replace and drop it at once')
    .option('--listen <port>', 'verify: what arrives at this port of this machine', numberArgument(0, 65_535, true))
    .option('--keys <file>', 'verify: by the keys of this directory file, without a request')
    .option('--live <url>', 'verify: what a site says of requests that are signed in each form')
    .option('--allow-address <cidr...>', 'check, verify: allow a private address range')
    .option('--json', 'check: print JSON')
    .addHelpText('after', IDENTITY_HELP)
    .action(run(async () => (await import('./commands/identity.js')).identityCommand));

  // A process of `crawl --workers`, not for users.
  program
    .command('worker', { hidden: true })
    .action(run(async () => (await import('./commands/worker.js')).workerCommand));
}

function addSiteCommands(program: Command, run: Runner): void {
  withIdentity(program.command('robots').description('read a robots.txt and check URLs against it'))
    .argument('<source>', 'a file, or the URL of a site or of its robots.txt')
    .argument('[url...]', 'URLs to check')
    .option('--agent <token>', 'the product token to read it for (default: --name, else *)')
    .option('--dialect <name>', 'rfc9309, google, 1996 or 1994', 'rfc9309')
    .option('--policy <name>', 'base, declared, declared-only or strictest', 'declared')
    .option('--allow-address <cidr...>', 'allow a private address range')
    .option('--json', 'print JSON')
    .addHelpText('after', ROBOTS_HELP)
    .action(run(async () => (await import('./commands/robots.js')).robotsCommand));

  withIdentity(program.command('datasets').description("list a site's datasets, from its data.txt"))
    .argument('<site>', 'the URL of the site')
    .option('--allow-address <cidr...>', 'allow a private address range')
    .option('--json', 'print JSON')
    .action(run(async () => (await import('./commands/datasets.js')).datasetsCommand));

  withIdentity(
    program.command('licence').description('say what the licences of a page are, and what each purpose may do'),
  )
    .argument('<url>', 'the URL of the page')
    .addOption(
      new Option('--user <kind>', 'what the party responsible is').choices([
        'commercial',
        'non-commercial',
        'education',
        'government',
        'personal',
      ]),
    )
    .option('--country <code>', 'its country: two letters, such as DE')
    .option('--allow-address <cidr...>', 'allow a private address range')
    .option('--json', 'print JSON')
    .action(run(async () => (await import('./commands/licence.js')).licenceCommand));
}

function addInspectionCommands(program: Command, run: Runner): void {
  program
    .command('explain')
    .description('say why a URL was, was not or is not yet fetched, or what a host waits for')
    .argument('<dir>', 'the crawl directory; none with --store')
    .argument('[url-or-host]', 'https://example.org/page, or example.org')
    .addOption(storeOption())
    .option('--json', 'print JSON')
    .addHelpText('after', INSPECTION_HELP)
    .action(run(async () => (await import('./commands/explain.js')).explainCommand));

  program
    .command('add')
    .description('hand URLs to the crawl of a directory, while it runs or for its next run')
    .argument('<dir>', 'the crawl directory')
    .argument('<url...>', 'absolute URLs; scope, bounds and robots.txt apply as to any other')
    .option('--label <name>', 'the route that handles them')
    .action(run(async () => (await import('./commands/add.js')).addCommand));

  program
    .command('queue')
    .description('list what a stopped crawl has queued')
    .argument('[dir]', 'the crawl directory')
    .addOption(storeOption())
    .option('--host <name>', 'only URLs of this host')
    .option('--limit <n>', 'maximum URLs printed', numberArgument(1, MAX_LISTED, true), 100)
    .option('--cursor <text>', 'continue where the last listing ended')
    .option('--json', 'print JSON')
    .addHelpText('after', INSPECTION_HELP)
    .action(run(async () => (await import('./commands/queue.js')).queueCommand));

  program
    .command('report')
    .description('print the politeness report of a crawl from its logs, and write report.html and report.json')
    .argument('[dir]', 'the crawl directory')
    .addOption(storeOption())
    .option('--json', 'print JSON')
    .action(run(async () => (await import('./commands/report.js')).reportCommand));

  program
    .command('audit')
    .description('judge the politeness of a crawl from its request log, independently of the code that planned it')
    .argument('<dir...>', 'the crawl directory, or those of all machines that shared the crawl')
    .option('--keys <file>', 'the published key directory: who made the signatures in the archive')
    .option('--tolerance <ms>', 'milliseconds a request may be early (default: 0)', numberArgument(0, 60_000, true))
    .option('--limit <n>', 'maximum violations printed', numberArgument(0, 1_000, true), 20)
    .option('--json', 'print JSON')
    .addHelpText('after', AUDIT_HELP)
    .action(run(async () => (await import('./commands/audit.js')).auditCommand));
}

function addArchiveCommands(program: Command, run: Runner): void {
  program
    .command('replay')
    .description('run handlers again over what a crawl archived, without the network')
    .argument('<dir>', 'the crawl directory; its crawl had --warc')
    .option('--handlers <file>', 'a module that exports `handlers` (default: those of `mannerly crawl`)')
    .option('--items <file>', 'where items go (default: replayed.jsonl in the crawl directory)')
    .option('--csv <file>', 'write items to this CSV file too')
    .option('--raw-cells', RAW_CELLS)
    .option('--json', 'print JSON')
    .action(run(async () => (await import('./commands/replay.js')).replayCommand));

  program
    .command('wacz')
    .description("package a crawl's archive as one WACZ file")
    .argument('<dir>', 'the crawl directory; its crawl had --warc')
    .option('--to <file>', 'the file (default: archive.wacz in the crawl directory)')
    .option('--title <text>', 'its title (default: the name and the first seed of the crawl)')
    .option('--json', 'print JSON')
    .action(run(async () => (await import('./commands/wacz.js')).waczCommand));

  program
    .command('export')
    .description('print the items of a crawl as JSON lines, or write them to a file; each item once')
    .argument('<dir...>', 'the crawl directory, or those of all machines that shared the crawl')
    .option('--to <file>', 'write them to this file, which must not exist yet')
    .option('--csv <file>', 'write them to this CSV file, which must not exist yet')
    .option('--raw-cells', RAW_CELLS)
    .option('--preferences', 'print of each item only its id, its URL, the use preferences and the licence')
    .option('--current', 'of pages that were visited again the last items, of those that are gone none')
    .addOption(
      new Option(
        '--format <name>',
        "the file's format (default: by its extension; parquet needs hyparquet-writer)",
      ).choices(EXPORT_FORMATS),
    )
    .option('--json', 'with --to: print what was written as JSON')
    .action(run(async () => (await import('./commands/export.js')).exportCommand));
}
