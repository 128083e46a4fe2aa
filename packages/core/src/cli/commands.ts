// The commands, one row each: its arguments, its flags, and the file of `commands/` that runs it. A command's modules
// are loaded when it is called, and so is the option table.

import { Argument, type Option } from 'commander';
import type { ExportFormat } from '../output/export-items.js';
import type { CrawlOrder } from '../run/crawl-orders.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import {
  appendValue,
  countryArgument,
  cursorArgument,
  flag,
  NO_STORE_FLAG,
  numberArgument,
  RAW_CELLS_FLAG,
  SINK_FLAGS,
  STORE_FLAG,
} from './flags.js';

export interface CommandRow {
  readonly summary: string;
  readonly args?: readonly Argument[];
  /** The options of a crawl for which it has flags, by their paths; `crawl`: all flags of `mannerly crawl`. */
  readonly crawlOptions?: RegExp | 'crawl';
  /** Its own flags; the flags of a crawl come first, these follow under a title. */
  readonly flags?: readonly Option[];
  readonly title?: string;
  readonly help?: string;
  readonly isHidden?: true;
  /** Called with the arguments, the flags and the `CliIo`. @returns The exit code, if it may differ from 0. */
  readonly load: () => Promise<(...args: never[]) => Promise<number> | Promise<void>>;
}

const JSON_FLAG = flag('--json', 'print JSON');
const ALLOW_ADDRESS = allowAddress('');
const SEED_ARGUMENTS = [new Argument('[seed...]', 'seed URLs')];
const DIRECTORY = 'the crawl directory';
const EXPORT_FORMATS: readonly ExportFormat[] = ['jsonl', 'json', 'csv', 'parquet'];
const DIRECTORIES_TEXT = 'the crawl directory, or those of all machines that shared the crawl';
const DIRECTORY_ARGUMENTS = [new Argument('<dir...>', DIRECTORIES_TEXT)];
const ARCHIVE_ARGUMENTS = [new Argument('<dir>', 'the directory of a crawl with --warc')];
const LISTEN_FLAGS = [
  flag('--listen <[address:]port>', 'where it listens (default: any free port of 127.0.0.1)'),
  flag('--listen-name <host>', 'a host name that requests to it may use (repeatable)', appendValue<string>),
];
const IDENTITY_OPTIONS = /^identity\./;
const PARTIES = ['commercial', 'non-commercial', 'education', 'government', 'personal'];
const IDENTITY_ACTIONS = ['init', 'publish', 'rotate', 'check', 'verify'];

const INSPECTION_HELP = `
It sends no request and changes nothing. While a run has the directory open, explain uses the logs, and queue exits with code 2.`;

/** The commands by their names, under the titles of the help. */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'Crawl:': {
    init: {
      summary: 'write a small TypeScript project: a crawl that runs, and its test',
      args: [new Argument('[dir]', 'a directory that is empty or does not exist yet').default('.')],
      crawlOptions: /^(identity\.(name|contact)|bounds\.(pages|depth|minutes))$/,
      flags: [
        flag('--seed <url>', 'where the crawl starts (repeatable)', appendValue<string>),
        flag('--within <scope>', 'where it may go: the hosts or the domains of the seeds (default: host)').choices([
          'host',
          'domain',
        ]),
        flag('--browser', 'open pages in your own Chromium'),
        flag('--yes', 'ask no questions: use defaults for flags that are not given'),
      ],
      help: `
Examples:
  mannerly init my-crawl
  mannerly init my-crawl --yes --name tidepool-study --contact https://example.org/our-crawler \\
      --seed https://docs.example.org/ --pages 200

It asks for flags that are not given. Without a terminal, or with --yes, it uses defaults; --name, --contact and --seed are then
required. It writes a configuration, handlers, a test for them and a package.json into an empty or new directory. It sends no
request and installs nothing.`,
      load: async () => (await import('./commands/init.js')).initCommand,
    },
    plan: {
      summary: 'estimate what a crawl would fetch, how long it takes and what ends it, from robots.txt and sitemaps',
      args: SEED_ARGUMENTS,
      crawlOptions: 'crawl',
      help: `
It takes the flags of crawl, so you can try a crawl command with "plan" first. It requests only robots.txt and sitemaps, as
politely as the crawl. With --out DIR it logs these requests in DIR.plan. Without a sitemap it assumes as many pages as the bounds
allow.

With --again it requests nothing. It shows what "crawl --again" would visit, in which order, and how fresh the copy is. It then
needs only a crawl directory: mannerly plan --again DIR.
${EXIT_CODES_HELP}`,
      load: async () => (await import('./commands/plan.js')).planCommand,
    },
    crawl: {
      summary: 'crawl from one or more seeds',
      args: SEED_ARGUMENTS,
      crawlOptions: 'crawl',
      help: `
Examples:
  mannerly crawl https://docs.example.org/ --name tidepool-study --contact https://example.org/our-crawler
  mannerly crawl https://example.org/ --within domain --pages 1000 --depth 8 --out tidepools \\
      --name tidepool-study --contact crawler@example.org
  mannerly crawl --seeds seeds.txt --name tidepool-study --contact crawler@example.org
  mannerly crawl https://example.org/ --out tidepools --retry "timeout-*" \\
      --name tidepool-study --contact crawler@example.org
  mannerly crawl http://127.0.0.1:8080/ --allow-address 127.0.0.0/8 --interval 0 --name me --contact me@example.org

The crawl reads robots.txt first and sends one request at a time to a host. Unless a configuration file names your own
handlers, it follows every link of every HTML page, and writes { url, title, status, depth } of each page to items.jsonl.
${EXIT_CODES_HELP}`,
      load: async () => (await import('./commands/crawl.js')).crawlCommand,
    },
    add: {
      summary: 'add URLs to the crawl in a directory, while it runs or for its next run',
      args: [
        new Argument('<dir>', DIRECTORY),
        new Argument('<url...>', 'absolute URLs; scope, bounds and robots.txt apply as usual'),
      ],
      flags: [flag('--label <name>', 'the route that handles them')],
      load: async () => (await import('./added-urls.js')).addCommand,
    },
    serve: {
      summary: 'crawl, stay open, and accept URLs and queries from other programs over HTTP',
      args: SEED_ARGUMENTS,
      crawlOptions: 'crawl',
      title: 'The HTTP API:',
      flags: LISTEN_FLAGS,
      help: `
Example:
  mannerly serve https://docs.example.org/ --out tidepools --listen 8080 \\
      --name tidepool-study --contact crawler@example.org

It takes the flags of crawl. It prints the address of the API and the token that every request needs. The token is new at each
start unless MANNERLY_DASHBOARD_TOKEN sets it. Ctrl-C, POST /api/stop or a bound (--pages, --minutes) ends it.
${EXIT_CODES_HELP}`,
      load: async () => (await import('./commands/crawl.js')).serveCommand,
    },
    pause: orderRow(
      'pause',
      'stop sending requests in all processes of a crawl, until resume',
      'Requests in flight and their pages are finished. A process that joins a paused crawl is paused too. Host clocks keep running.',
    ),
    resume: orderRow('resume', 'continue after pause'),
    stop: orderRow(
      'stop',
      'end all processes of a crawl, like Ctrl-C in each of them',
      'A process that starts later is not stopped: first stop whatever restarts processes automatically.',
    ),
    dashboard: {
      summary: 'serve a live view and metrics of all processes of a crawl whose store is on a server',
      flags: [STORE_FLAG, ...LISTEN_FLAGS, flag('--metrics', 'serve metrics at /metrics (needs prom-client)')],
      help: `
It prints the address with the token that every request needs. The token is new at each start unless MANNERLY_DASHBOARD_TOKEN
sets it. It reads the store once a second and sends no request to a site. Ctrl-C ends it. Pause, resume and stop apply to all
processes.`,
      load: async () => (await import('./commands/dashboard.js')).dashboardCommand,
    },
    move: {
      summary: 'move a stopped crawl to another store: from a crawl directory to a server, back, or between servers',
      args: [
        new Argument('<from>', 'a crawl directory, or the URL of a store (redis://…, postgres://…, ?crawl=<name>)'),
        new Argument('<to>', 'the same; a directory must be that of the crawl, without a frontier'),
      ],
      flags: [JSON_FLAG],
      help: `
Example:
  mannerly move tidepools redis://redis.example.org
  mannerly crawl https://docs.example.org/ --out tidepools --store redis://redis.example.org --name tidepool-study \\
      --contact https://example.org/our-crawler

Known URLs, the queue, hosts with their clocks, robots.txt and counts are moved; logs and items stay where they are. A target that
holds another crawl is refused. If the move is interrupted, run the same command again; until then no process opens either store.
The data also stays in the old store, which is closed: remove it with mannerly delete, or by deleting the folder "frontier".`,
      load: async () => (await import('./commands/move.js')).moveCommand,
    },
    delete: {
      summary: 'remove a crawl from its server',
      flags: [STORE_FLAG, flag('--yes', 'do not ask')],
      help: `
It asks first, and refuses while processes are running. Crawl directories, items and logs are kept.`,
      load: async () => (await import('./commands/move.js')).deleteCommand,
    },
    worker: {
      summary: 'a process of crawl --workers, not for users',
      isHidden: true,
      load: async () => (await import('./commands/worker.js')).workerCommand,
    },
  },
  'After a crawl, or during one:': {
    report: {
      summary: 'print the politeness report of a crawl from its logs, and write report.html and report.json',
      args: [new Argument('[dir...]', `${DIRECTORIES_TEXT}; the report is written into the first`)],
      flags: [STORE_FLAG, JSON_FLAG],
      load: async () => (await import('./commands/report.js')).reportCommand,
    },
    explain: {
      summary: 'explain why a URL was, was not or is not yet fetched, or what a host is waiting for',
      args: [
        new Argument('<dir>', 'the crawl directory; omit it with --store'),
        new Argument('[url-or-host]', 'https://example.org/page, or example.org'),
      ],
      flags: [STORE_FLAG, JSON_FLAG],
      help: INSPECTION_HELP,
      load: async () => (await import('./commands/explain.js')).explainCommand,
    },
    queue: {
      summary: 'list the queue of a stopped crawl',
      args: [new Argument('[dir]', DIRECTORY)],
      flags: [
        STORE_FLAG,
        flag('--host <name>', 'only URLs of this host'),
        flag('--limit <n>', 'maximum URLs printed', numberArgument(1, 1_000, true), 100),
        flag('--cursor <text>', 'continue where the last listing ended', cursorArgument),
        JSON_FLAG,
      ],
      help: INSPECTION_HELP,
      load: async () => (await import('./commands/explain.js')).queueCommand,
    },
    audit: {
      summary: 'check the politeness of a crawl from its request log, independently of the code that planned it',
      args: DIRECTORY_ARGUMENTS,
      flags: [
        flag('--keys <file>', 'the published key directory, to verify who made the signatures in the archive'),
        flag('--tolerance <ms>', 'milliseconds a request may be early (default: 0)', numberArgument(0, 60_000, true)),
        flag('--limit <n>', 'maximum violations printed', numberArgument(0, 1_000, true), 20),
        JSON_FLAG,
        NO_STORE_FLAG,
      ],
      help: `
It reads requests.jsonl, the copies in robots/ and the requests in the archive. It sends no request and changes nothing.
Exit code 0: no violation; 5: a violation, or no request to check.`,
      load: async () => (await import('./commands/audit.js')).auditCommand,
    },
    export: {
      summary: 'print the items of a crawl as JSON lines, or write them to a file; each item once',
      args: DIRECTORY_ARGUMENTS,
      flags: [
        flag('--to <file>', 'write them to this file, which must not exist yet'),
        flag('--csv <file>', 'write them to this CSV file, which must not exist yet'),
        RAW_CELLS_FLAG,
        flag('--preferences', 'print only the id, URL, use preferences and licence of each item'),
        flag('--current', 'only the latest items of each page, and none of pages that are gone'),
        flag(
          '--format <name>',
          "the file's format (default: by its extension; parquet needs hyparquet-writer)",
        ).choices(EXPORT_FORMATS),
        flag('--json', 'with --to: print what was written as JSON'),
        NO_STORE_FLAG,
      ],
      load: async () => (await import('./commands/export.js')).exportCommand,
    },
    replay: {
      summary: 'run handlers again on the archive of a crawl, without the network',
      args: ARCHIVE_ARGUMENTS,
      flags: [
        flag('--handlers <file>', 'a module that exports `handlers` (default: those of `mannerly crawl`)'),
        flag('--items <file>', 'where items go (default: replayed.jsonl in the crawl directory)'),
        ...SINK_FLAGS,
        JSON_FLAG,
      ],
      load: async () => (await import('./commands/replay.js')).replayCommand,
    },
    wacz: {
      summary: "package a crawl's archive as one WACZ file",
      args: ARCHIVE_ARGUMENTS,
      flags: [
        flag('--to <file>', 'the file (default: archive.wacz in the crawl directory)'),
        flag('--title <text>', 'its title (default: the name and the first seed of the crawl)'),
        JSON_FLAG,
      ],
      load: async () => (await import('./commands/export.js')).waczCommand,
    },
  },
  'About a site, and about your crawler:': {
    robots: {
      summary: 'read a robots.txt and check URLs against it',
      args: [
        new Argument('<source>', 'a file, or the URL of a site, of its robots.txt, or of a page to check'),
        new Argument('[url...]', 'URLs to check'),
      ],
      crawlOptions: IDENTITY_OPTIONS,
      flags: [
        flag('--agent <token>', 'the product token to check for (default: --name, else *)'),
        flag('--dialect <name>', 'rfc9309, google, 1996 or 1994').default('rfc9309'),
        flag('--policy <name>', 'base, declared, declared-only or strictest').default('declared'),
        ALLOW_ADDRESS,
        JSON_FLAG,
      ],
      help: `
Examples:
  mannerly robots robots.txt https://example.org/private --agent mybot
  mannerly robots https://example.org/a https://example.org/b --name mybot --contact https://example.org/us
`,
      load: async () => (await import('./commands/robots.js')).robotsCommand,
    },
    datasets: {
      summary: "list a site's datasets, from its data.txt",
      args: [new Argument('<site>', 'the URL of the site')],
      crawlOptions: IDENTITY_OPTIONS,
      flags: [ALLOW_ADDRESS, JSON_FLAG],
      load: async () => (await import('./commands/datasets.js')).datasetsCommand,
    },
    licence: {
      summary: 'show the licences of a page, and what each purpose may do',
      args: [new Argument('<url>', 'the URL of the page')],
      crawlOptions: IDENTITY_OPTIONS,
      flags: [
        flag('--user <kind>', 'the kind of party that is responsible').choices(PARTIES),
        flag('--country <code>', 'its country: two letters, such as DE', countryArgument),
        ALLOW_ADDRESS,
        JSON_FLAG,
      ],
      load: async () => (await import('./commands/licence.js')).licenceCommand,
    },
    identity: {
      summary: 'create the signing key of a crawler, and the folder that publishes its identity',
      args: [
        new Argument('<action>', 'create a key, the folder, or a new key; check the folder; verify requests').choices(
          IDENTITY_ACTIONS,
        ),
        new Argument('[target]', 'check: the URL of the directory; verify: a file, or a folder of WARC files'),
      ],
      crawlOptions: /^identity\.name$/,
      flags: [
        flag('--key <file>', 'init: where the key goes (default: ~/.config/mannerly/<name>.key)'),
        flag('--config <file>', 'the configuration (default: mannerly.config.json, .js or .ts here)'),
        flag('--also <file>', 'publish: list the key in this file too (repeatable)', appendValue<string>),
        flag('--to <dir>', 'publish, rotate, check: the folder (default: identity)'),
        flag('--leaked', 'rotate: the key has leaked: replace and drop it at once'),
        flag('--listen <port>', 'verify: requests that arrive at this local port', numberArgument(0, 65_535, true)),
        flag('--keys <file>', 'verify: use the keys in this directory file, without a request'),
        flag('--live <url>', 'verify: how a site answers requests signed in each form'),
        allowAddress('check, verify: '),
        flag('--json', 'check: print JSON'),
      ],
      help: `
Requests are sent only by check <url> (for what is published), verify (for the key directories of signers) and verify --live (for
a page and its robots.txt).`,
      load: async () => (await import('./commands/identity.js')).identityCommand,
    },
  },
};

/** @param actions - The actions that use it, when not all do. */
function allowAddress(actions: string): Option {
  return flag('--allow-address <cidr>', `${actions}allow a private address or range (repeatable)`, appendValue<string>);
}

/** A command that reaches all processes of a crawl. @param more - The end of its help. */
function orderRow(order: CrawlOrder, summary: string, more?: string): CommandRow {
  const general = `
With --store it applies to all processes of the crawl, on all machines. It waits for them for up to a minute, and exits with
code 1 if one has not obeyed. With a directory it applies to the processes that use it, and does not wait.`;
  return {
    summary,
    args: [new Argument('[dir]', 'the crawl directory, for the processes that use it; omit it with --store')],
    flags: [STORE_FLAG, JSON_FLAG],
    help: more === undefined ? general : `${general}\n${more}`,
    load: async () => (await import('./commands/order.js')).orderCommand(order),
  };
}
