#!/usr/bin/env node
import { tooOldText } from '../dist/cli/node-version.js';

const tooOld = tooOldText(process.versions.node);
if (tooOld === null) {
  // Anyone who is gone by now sends nothing any more: a crawl that goes on counts from here, not from when all is
  // loaded.
  (await import('@mannerly/frontier/processes')).inspectProcesses();
  await import('../dist/v8-flags.js');
  await import('../dist/cli/main.js');
} else {
  console.error(tooOld);
  process.exitCode = 2;
}
