// The command `mannerly`: reads its arguments, runs one command, and sets the exit code.

import { processIo } from './io.js';
import { runCommand } from './program.js';

process.exitCode = await runCommand(process.argv.slice(2), processIo());
