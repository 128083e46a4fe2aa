// Shell completion: one script per shell, written out in full from what the program offers. The scripts start nothing when a
// key is pressed; whoever updates the command prints them again.

import type { OfferedCommand, OfferedFlag, OfferedProgram, WordKind } from './command-tree.js';

/** The shells that are known. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** One of `SHELLS`. */
export type Shell = (typeof SHELLS)[number];

/** The script of a shell. @throws Never */
export function completionScript(shell: Shell, program: OfferedProgram): string {
  switch (shell) {
    case 'bash':
      return bashScript(program);
    case 'zsh':
      return zshScript(program);
    case 'fish':
      return fishScript(program);
  }
}

/** A text as one word of any of these shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Descriptions in one line, at a length that a menu has room for. */
function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}

const namesOf = (flags: readonly OfferedFlag[]): string => flags.flatMap(({ names }) => names).join(' ');

// bash -------------------------------------------------------------------------------------------------------------------------

function bashScript({ name, commands, flags }: OfferedProgram): string {
  const words = [...commands.map((command) => command.name), namesOf(flags)].join(' ');
  return `# bash completion for ${name}. Load it with:  eval "$(${name} completion bash)"
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${commands.map((command) => command.name).join('|')}) command=$word; break ;;
    esac
  done
  case $command in
    '') COMPREPLY=($(compgen -W ${quoted(words)} -- "$current")) ;;
${commands.map(bashCommand).join('\n')}
  esac
}
complete -o filenames -F _${name} ${name}`;
}

function bashCommand({ name, flags, words }: OfferedCommand): string {
  const values = flags.flatMap(({ names, value, isValueOptional }) =>
    value === null || isValueOptional ? [] : [`        ${names.join('|')}) ${bashReply(value)}; return ;;`],
  );
  const offered = words.find(({ kind }) => kind !== 'text');
  const lines = [
    `    ${name})`,
    ...(values.length === 0 ? [] : ['      case $previous in', ...values, '      esac']),
    `      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W ${quoted(namesOf(flags))} -- "$current"))`,
    ...(offered === undefined ? [] : [`      else ${bashReply(offered)}`]),
    '      fi ;;',
  ];
  return lines.join('\n');
}

function bashReply(value: WordKind): string {
  switch (value.kind) {
    case 'directory':
      return 'COMPREPLY=($(compgen -d -- "$current"))';
    case 'file':
      return 'COMPREPLY=($(compgen -f -- "$current"))';
    case 'words':
      return `COMPREPLY=($(compgen -W ${quoted(value.words.join(' '))} -- "$current"))`;
    case 'text':
      return ':';
  }
}

// zsh --------------------------------------------------------------------------------------------------------------------------

function zshScript({ name, commands, flags }: OfferedProgram): string {
  const menu = commands.map((command) => `        ${quoted(`${command.name}:${brief(command.says)}`)}`);
  return `#compdef ${name}
# zsh completion for ${name}. Load it with:  source <(${name} completion zsh)
_${name}() {
  local curcontext=$curcontext state line
  local -A opt_args
  _arguments -C ${flags.map(zshFlag).join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands=(
${menu.join('\n')}
      )
      _describe command commands ;;
    rest)
      case $words[1] in
${commands.map(zshCommand).join('\n')}
      esac ;;
  esac
}
if [[ \${funcstack[1]} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`;
}

function zshCommand({ name, flags, words }: OfferedCommand): string {
  const specs = [
    ...flags.map(zshFlag),
    ...words.map((word, at) => quoted(`${at === words.length - 1 ? '*' : at + 1}: :${zshAction(word)}`)),
  ];
  return `        ${name}) _arguments ${specs.join(' ')} ;;`;
}

function zshFlag({ names, says, value, isValueOptional }: OfferedFlag): string {
  const words = brief(says).replaceAll(/[\\[\]:]/g, '\\$&');
  const after = value === null ? '' : `${isValueOptional ? '::' : ':'} :${zshAction(value)}`;
  return names.map((name) => quoted(`*${name}[${words}]${after}`)).join(' ');
}

function zshAction(value: WordKind): string {
  switch (value.kind) {
    case 'directory':
      return '_files -/';
    case 'file':
      return '_files';
    case 'words':
      return `(${value.words.join(' ')})`;
    case 'text':
      // A blank would only show a message, and keep flags from being completed beside it.
      return '_nothing';
  }
}

// fish -------------------------------------------------------------------------------------------------------------------------

function fishScript({ name, commands, flags }: OfferedProgram): string {
  const begin = `complete -c ${name}`;
  const lines = [
    `# fish completion for ${name}. Load it with:  ${name} completion fish | source`,
    `${begin} -f`,
    ...commands.map(
      (command) => `${begin} -n __fish_use_subcommand -a ${command.name} -d ${quoted(brief(command.says))}`,
    ),
    ...flags.map((flag) => `${begin} -n __fish_use_subcommand ${fishFlag(flag)}`),
    ...commands.flatMap((command) => {
      const inside = `${begin} -n '__fish_seen_subcommand_from ${command.name}'`;
      const offered = command.words.find(({ kind }) => kind !== 'text');
      return [
        ...command.flags.map((flag) => `${inside} ${fishFlag(flag)}`),
        ...(offered === undefined ? [] : [`${inside} ${fishValue(offered)}`]),
      ];
    }),
  ];
  return lines.join('\n');
}

function fishFlag({ names, says, value, isValueOptional }: OfferedFlag): string {
  const written = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const takes =
    value === null || isValueOptional
      ? []
      : [value.kind === 'text' ? '-x' : value.kind === 'file' ? '-r -F' : `-x ${fishValue(value)}`];
  return [...written, ...takes, `-d ${quoted(brief(says))}`].join(' ');
}

function fishValue(value: WordKind): string {
  switch (value.kind) {
    case 'directory':
      return `-a '(__fish_complete_directories)'`;
    case 'file':
      return '-F';
    case 'words':
      return `-a ${quoted(value.words.join(' '))}`;
    case 'text':
      return '-f';
  }
}
