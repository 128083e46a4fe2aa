// The tables of docs/reference/command.md, read from the program that commander runs.

import type { Argument, Command, Option } from 'commander';
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { FLAGGED_ROWS } from '../../src/cli/option-flags.js';
import { addFlags, createProgram } from '../../src/cli/program.js';
import { rangeOf } from './option-text.js';

/** The commands and their flags. `plan` has the flags of `crawl`, and `serve` has them too. */
export async function commandSections(): Promise<string> {
  const program = createProgram(NO_IO, () => undefined);
  const named = program.createHelp().visibleCommands(program);
  for (const command of named) await addFlags(command);
  const crawlFlags = new Set(named.find((command) => command.name() === 'crawl')?.options.map(({ long }) => long));
  const overview = named.map((command) => `| \`mannerly ${usageOf(command)}\` | ${cell(command.description())} |`);
  return [
    '## Commands\n',
    '| Command | What it does |\n|---|---|',
    ...overview,
    ...named.filter((command) => command.name() !== 'plan').map((command) => sectionOf(command, crawlFlags)),
  ].join('\n');
}

/** The exit codes. */
export function exitCodeTable(): string {
  const rows = EXIT_CODES.map(([code, means, todo]) => `| ${code} | ${means} | ${todo} |`);
  return ['| Code | Means | What to do |\n|--:|---|---|', ...rows].join('\n');
}

/** Output for the program, which is only read. */
const NO_IO = { out: () => undefined, err: () => undefined } as unknown as Parameters<typeof createProgram>[0];

/** A command's flags: those of `crawl` in groups, with their options, those of the others in one table. */
function sectionOf(command: Command, crawlFlags: ReadonlySet<string | undefined>): string {
  const groups = new Map<string, Option[]>();
  const isCrawl = command.name() === 'crawl';
  const isMore = command.name() === 'serve';
  for (const option of command.createHelp().visibleOptions(command)) {
    if (option.long === '--help' || (isMore && crawlFlags.has(option.long))) continue;
    const title = (isCrawl ? option.helpGroupHeading : undefined) ?? '';
    groups.set(title, [...(groups.get(title) ?? []), option]);
  }
  const tables = [...groups].map(([title, options]) => {
    const heading = title === '' ? '' : `\n### ${title.replace(/:$/, '')}\n`;
    const head = isCrawl ? '| Flag | What it does | Option |\n|---|---|---|' : '| Flag | What it does |\n|---|---|';
    return `${heading}\n${head}\n${options.map((option) => rowOf(option, isCrawl)).join('\n')}`;
  });
  const name = isCrawl ? '`crawl` and `plan`' : `\`${command.name()}\``;
  const more = isMore ? ' It has the flags of `crawl`, and these:' : '';
  return [`\n## ${name}\n`, `\`mannerly ${usageOf(command)}\`: ${command.description()}.${more}`, ...tables].join('\n');
}

/** A range of numbers is given here in the flag's unit; any other range is that of the option. */
function rowOf(option: Option, namesOption: boolean): string {
  const flagCell = FLAGGED_ROWS.find(({ flag }) => flag.name === option.flags);
  const isNumber = option.required && flagCell?.row.shape.kind === 'number';
  const values = isNumber
    ? inSeconds(rangeOf(flagCell.row.shape), flagCell.flag.isSeconds)
    : (flagCell === undefined ? (option.argChoices ?? []) : []).map((each) => `\`${each}\``).join(', ');
  const byDefault = option.defaultValue === undefined ? '' : ` (default: ${String(option.defaultValue)})`;
  const description = `${cell(option.description)}${values === '' ? '' : `: ${values}`}${byDefault}`;
  const row = `| \`${option.flags}\` | ${description} |`;
  return namesOption ? `${row} ${flagCell === undefined ? '' : linkTo(flagCell.path)} |` : row;
}

function linkTo(path: string): string {
  return `[\`${path}\`](options.md#${path.replaceAll('.', '').toLowerCase()})`;
}

function inSeconds(range: string, isSeconds = false): string {
  return isSeconds
    ? range
        .replaceAll(/[\d,]+/g, (ms) => (Number(ms.replaceAll(',', '')) / 1_000).toLocaleString('en-US'))
        .replace('ms', 's')
    : range;
}

function usageOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(argumentOf)].join(' ');
}

function argumentOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Text for a table cell: HTML and cell separators are escaped. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<([\w-]+)>/g, '&lt;$1&gt;');
}
