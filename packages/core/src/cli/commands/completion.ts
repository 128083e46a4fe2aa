// `mannerly completion`: prints the script that completes this command in a shell.

import { Argument, type Command } from 'commander';
import { readProgram } from '../command-tree.js';
import { completionScript, SHELLS, type Shell } from '../completion-scripts.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';

const HELP = `
Load it in the file that your shell reads when it starts:
  bash  ~/.bashrc                   eval "$(mannerly completion bash)"
  zsh   ~/.zshrc, after compinit    source <(mannerly completion zsh)
  fish  ~/.config/fish/config.fish  mannerly completion fish | source
`;

/** Adds the command to the program whose completion it prints. */
export function withCompletion(program: Command, io: CliIo, done: (code: number) => void): void {
  program
    .command('completion')
    .description('print a script that completes this command in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.out(completionScript(shell, readProgram(program)));
      done(EXIT.ok);
    });
}
