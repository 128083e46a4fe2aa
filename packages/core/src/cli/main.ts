// The command `mannerly`: reads its arguments, runs one command, and sets the exit code.

import { DEEP_STACK_FRAMES } from '../report/limits.js';
import { processIo } from './io.js';
import { runCommand } from './program.js';

// An error of a selector comes from deep inside cheerio, far from the line of the handler.
Error.stackTraceLimit = DEEP_STACK_FRAMES;
process.exitCode = await runCommand(process.argv.slice(2), processIo());
