// The program as commander runs it: its commands come from their table. A command gets its flags when it is called.

import { Command, CommanderError } from 'commander';
import { MANNERLY_VERSION } from '../own-package.js';
import { COMMANDS, type CommandRow } from './commands.js';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.js';
import { reportFailure, UsageError } from './failure.js';
import type { CliIo } from './io.js';

const START_HELP = `
Where to start:
  mannerly init my-crawl                 a project with a handler and a test of it
  mannerly crawl https://docs.example.org/ --name tidepool-study --contact https://example.org/our-crawler
  mannerly <command> --help              the flags of a command, with examples
${EXIT_CODES_HELP}`;

/** Runs one command line. @returns The exit code. Errors are written to standard error. */
export async function runCommand(argv: readonly string[], io: CliIo): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(io, (ended) => {
    code = ended;
  });
  try {
    refuseBareUrl(argv);
    // Commander's own help command would show a command before it has its flags.
    const args = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.message.startsWith('error: ')) {
      const { reportWrongCall } = await import('./wrong-call.js');
      reportWrongCall(error, program, argv, io);
    }
    return reportFailure(error, io);
  }
}

/** Explains what is missing in a likely first attempt. @throws UsageError */
function refuseBareUrl([first = '']: readonly string[]): void {
  if (!/^https?:\/\//i.test(first)) return;
  const hint = `To crawl it: mannerly crawl ${first} --name <your-product-token> --contact <where-to-reach-you>`;
  throw new UsageError(`"${first}" is not a command`, hint);
}

/** Columns of the whole program's help: the published program prints it from a file, whatever the terminal. */
const HELP_COLUMNS = 80;

/** The program. @param done - Called with the exit code of the command that ran. */
export function createProgram(io: CliIo, done: (code: number) => void): Command {
  const program = new Command('mannerly')
    .description('A polite web crawler.')
    .version(MANNERLY_VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
      outputError: () => undefined,
    })
    .helpCommand(false)
    .addHelpText('after', START_HELP)
    .hook('preSubcommand', async ({ args }, command) => {
      await addFlags(command);
      refuseFlagAsValue(command, args);
    });
  for (const [title, commands] of Object.entries(COMMANDS)) {
    for (const [name, { summary, args = [], isHidden = false, load }] of Object.entries(commands)) {
      const command = program.command(name, { hidden: isHidden }).description(summary).helpGroup(title);
      for (const argument of args) command.addArgument(argument);
      command.action(async (...given: unknown[]) => {
        const run = (await load()) as (...args: unknown[]) => Promise<number | undefined>;
        // Commander adds its own object as the last argument.
        done((await run(...given.slice(0, -1), io)) ?? EXIT.ok);
      });
    }
  }
  // The existing commands keep the width of the terminal.
  return program.configureHelp({ helpWidth: HELP_COLUMNS });
}

/** Commander takes whatever follows a flag as its value, the next flag too. @throws UsageError */
function refuseFlagAsValue({ options }: Command, args: readonly string[]): void {
  for (const [at, arg] of args.entries()) {
    if (arg === '--') return;
    const next = args[at + 1] ?? '';
    const needsValue = options.some(({ long, required }) => required && long === arg);
    if (needsValue && options.some(({ long }) => long === next.split('=')[0]))
      throw new UsageError(`${arg} has no value: ${next} follows it`, `If that is the value, write ${arg}=${next}.`);
  }
}

/** Adds its flags and the last part of its help to a command. */
export async function addFlags(command: Command): Promise<void> {
  const rows: Readonly<Record<string, CommandRow>> = Object.assign({}, ...Object.values(COMMANDS));
  const { crawlOptions, flags = [], title, help } = rows[command.name()] ?? {};
  if (crawlOptions !== undefined) {
    const { withCrawlFlags, withFlagsOf } = await import('./crawl-flags.js');
    if (crawlOptions === 'crawl') withCrawlFlags(command);
    else withFlagsOf(command, crawlOptions);
  }
  if (title !== undefined) command.optionsGroup(title);
  for (const flag of flags) command.addOption(flag);
  if (help !== undefined) command.addHelpText('after', help);
}
