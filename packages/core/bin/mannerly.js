#!/usr/bin/env node
import { tooOldText } from '../dist/cli/node-version.js';

// A newer module is loaded only where Node.js is new enough to read it.
const refusal = tooOldText(process.versions.node) ?? (await import('../dist/cli/open-files.js')).tooFewFilesText();
if (refusal === null) {
  // Anyone who is gone by now sends nothing any more: a crawl that goes on counts from here, not from when all is
  // loaded.
  (await import('@mannerly/frontier/processes')).inspectProcesses();
  await import('../dist/v8-flags.js');
  await import('../dist/cli/main.js');
} else {
  console.error(refusal);
  process.exitCode = 2;
}
