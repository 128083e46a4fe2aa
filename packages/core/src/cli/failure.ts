// What the command says when it cannot do what it was told: one line what, one line what to do, and an exit code.

import { CommanderError } from 'commander';
import { MannerlyError } from 'mannerly';
import { EXIT } from './exit-codes.js';
import type { CliIo } from './io.js';

/** A mistake in how the command was called. */
export class UsageError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Codes of errors that mean a wrong call, by their first word; the others mean that something broke. */
const USAGE_CODES = /^(option|identity|bounds|seed|directory)-/;

/**
 * Tells an error to the person at the terminal.
 *
 * @returns The exit code.
 * @throws Never
 */
export function reportFailure(error: unknown, io: CliIo): number {
  // Commander has printed its own message by now; help and version are no mistakes.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof Error)) {
    io.err(`mannerly: ${String(error)}`);
    return EXIT.broken;
  }
  io.err(`mannerly: ${error.message}`);
  const hint = error instanceof MannerlyError || error instanceof UsageError ? error.hint : null;
  if (hint !== null) io.err(`  ${hint}`);
  if (error instanceof UsageError || (hasCode(error) && USAGE_CODES.test(error.code))) return EXIT.usage;
  if (!(error instanceof MannerlyError) && error.stack !== undefined) io.err(error.stack);
  return EXIT.broken;
}

function hasCode(error: Error): error is Error & { code: string } {
  return 'code' in error && typeof error.code === 'string';
}
