// What a program offers, as plain data read from commander: the one source of help and of shell completion, so that neither
// can say what the other does not.

import type { Argument, Command, Option } from 'commander';

/** What a word on the command line may be. */
export type WordKind =
  | { readonly kind: 'directory' | 'file' | 'text' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

/** A flag. */
export interface OfferedFlag {
  /** `--out`, and `-h` where there is a short one. */
  readonly names: readonly string[];
  readonly says: string;
  /** `null`: it takes no value. */
  readonly value: WordKind | null;
  readonly isValueOptional: boolean;
}

/** A command. */
export interface OfferedCommand {
  readonly name: string;
  readonly says: string;
  readonly flags: readonly OfferedFlag[];
  /** What stands on it beside flags; the last one may come again. */
  readonly words: readonly WordKind[];
}

/** A program: its commands, and its own flags. */
export interface OfferedProgram {
  readonly name: string;
  readonly commands: readonly OfferedCommand[];
  readonly flags: readonly OfferedFlag[];
}

/** Reads a program. Commands below commands are not looked for. @throws Never */
export function readProgram(program: Command): OfferedProgram {
  return {
    name: program.name(),
    commands: program
      .createHelp()
      .visibleCommands(program)
      .map((command) => ({
        name: command.name(),
        says: command.description(),
        flags: flagsOf(command),
        words: command.name() === 'help' ? [helpWords(program)] : command.registeredArguments.map(wordOf),
      })),
    flags: flagsOf(program),
  };
}

function flagsOf(command: Command): OfferedFlag[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
      says: option.description,
      value: option.required || option.optional ? valueKind(option) : null,
      isValueOptional: option.optional,
    }));
}

function valueKind({ argChoices, flags }: Option): WordKind {
  return argChoices === undefined
    ? kindOf(/[<[]([\w-]+)/.exec(flags)?.[1] ?? '')
    : { kind: 'words', words: argChoices };
}

function wordOf(argument: Argument): WordKind {
  return argument.argChoices === undefined ? kindOf(argument.name()) : { kind: 'words', words: argument.argChoices };
}

/** What a placeholder stands for, by its name. */
function kindOf(placeholder: string): WordKind {
  if (placeholder === 'dir') return { kind: 'directory' };
  return /^(file|source)$/.test(placeholder) ? { kind: 'file' } : { kind: 'text' };
}

function helpWords(program: Command): WordKind {
  return { kind: 'words', words: program.commands.map((command) => command.name()) };
}
