// The message for a command line that commander refuses: what is wrong, and the closest flag to an unknown one.

import type { Command, CommanderError } from 'commander';
import { hintFor, suggestionFor } from '../options/suggestion.js';
import { CONFIG_OPTIONS } from '../options/table.js';
import type { CliIo } from './io.js';
import { FLAGGED_ROWS } from './option-flags.js';

/** Flags of options that have none in the table, or a better one. */
const BETTER_FLAGS: Readonly<Record<string, string>> = { 'politeness.profile': '--interval', 'scope.seeds': '--seeds' };

const CONTINUES = 'The same command continues a crawl in its directory; --reset starts it over.';
/** Flags that other programs have and this one does not. */
const WITHOUT_FLAG: Readonly<Record<string, string>> = {
  resume: CONTINUES,
  continue: CONTINUES,
  dryRun: 'mannerly plan, with the same arguments, requests robots.txt and sitemaps only.',
  quiet: 'Progress and warnings go to standard error: --progress none --log silent.',
};

/** @param program - With the flags of the command that was called. */
export function reportWrongCall(
  error: CommanderError,
  program: Command,
  [commandName = '']: readonly string[],
  io: CliIo,
) {
  const [, what = '', suggestion = null] = /^error: (.*)(?:\n\((Did you mean .*)\))?/.exec(error.message) ?? [];
  const command = program.commands.find((each) => each.name() === commandName);
  const unknown = /^unknown option '--?([^='\s]+)/.exec(what)?.[1];
  const hint = command === undefined || unknown === undefined ? suggestion : flagHint(unknown, command, suggestion);
  io.err(`mannerly: ${what}`);
  if (hint !== null) io.err(`  ${hint}`);
  io.err(`  For help: mannerly ${command === undefined ? '' : `${commandName} `}--help.`);
}

/** @param suggestion - Commander's own hint: a flag with similar spelling. */
function flagHint(flag: string, command: Command, suggestion: string | null): string | null {
  const flags = command.options.flatMap(({ long, hidden }) => (long === undefined || hidden ? [] : [long.slice(2)]));
  const name = flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const option = suggestionFor(name, '', CONFIG_OPTIONS) ?? '';
  const row = FLAGGED_ROWS.find(({ path }) => path === option);
  const otherFlag = BETTER_FLAGS[option] ?? row?.flag.name.replace(/ .*/, '') ?? `--${option}`;
  const isCrawl = flags.includes('config') && flags.includes('name');
  if (isCrawl && WITHOUT_FLAG[name] !== undefined) return WITHOUT_FLAG[name];
  const negated = command.options.find(({ long }) => flag.startsWith('no-') && long === `--${flag.slice(3)}`);
  if (negated?.isBoolean())
    return `It is off without ${negated.long}${isCrawl ? ', unless the configuration file turns it on' : ''}.`;
  if (option === 'out' && flags.includes('to')) return 'Did you mean --to?';
  if (flags.includes(otherFlag.slice(2))) return `Did you mean ${otherFlag}?`;
  if (suggestion !== null) return suggestion;
  if (option === '') return hintFor(name, '', CONFIG_OPTIONS);
  return isCrawl ? `It has no flag: the configuration file has \`${option}\` (--config <file>).` : null;
}
