// What the command prints when it fails: one line what happened, one line what to do, and an exit code.

import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.js';
import type { CliIo } from './io.js';

export class UsageError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Codes of usage errors, including paths that lead to no file. All other codes mean that something broke. */
const USAGE_CODES =
  /^(option|identity|bounds|seed|directory|route|invalid)-|^(archive-missing|crawl-differs|not-running|peer-missing|store-mismatch|ENOENT|ENOTDIR|EISDIR)$/;

const NOT_FOUND_HINT = 'Is its path right? It is relative to the working directory.';
const NOT_PERMITTED_HINT = 'Is it readable and writable for the user who runs this?';
const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  ENOENT: NOT_FOUND_HINT,
  ENOTDIR: NOT_FOUND_HINT,
  EISDIR: 'It is a directory: name a file.',
  EACCES: NOT_PERMITTED_HINT,
  EPERM: NOT_PERMITTED_HINT,
  EROFS: 'The file system is read-only: name a directory elsewhere.',
  EADDRINUSE: 'Something listens there already: name another port, or 0 for any.',
  ENOSPC: 'The disk is full. What was committed is kept: with more space the same command continues.',
};

/** Prints an error, and what to do about it. @returns The exit code */
export function reportFailure(error: unknown, io: CliIo): number {
  // Commander has already printed its message; help and version are not mistakes.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof Error)) {
    io.err(`mannerly: ${String(error)}`);
    return EXIT.broken;
  }
  io.err(`mannerly: ${error.message}`);
  const hint = hintOf(error);
  if (hint !== null) io.err(`  ${hint}`);
  if (error instanceof UsageError || (hasCode(error) && USAGE_CODES.test(error.code))) return EXIT.usage;
  if (!('hint' in error) && hint === null && error.stack !== undefined)
    io.err(`${error.stack}\n  This is a bug: please report it with these lines.`);
  return EXIT.broken;
}

/** The hint of one of our errors, or of its cause. */
function hintOf(error: Error): string | null {
  if ('hint' in error)
    return (error.hint as string | null) ?? (error.cause instanceof Error ? hintOf(error.cause) : null);
  return hasCode(error) ? (SYSTEM_HINTS[error.code] ?? null) : null;
}

function hasCode(error: Error): error is Error & { code: string } {
  return 'code' in error && typeof error.code === 'string';
}
