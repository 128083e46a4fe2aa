#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tooOldText } from '../dist/cli/node-version.js';

if (!printsHelp(process.argv.slice(2))) {
  // Compiled code is kept where no other user of the machine writes: what lies there is run.
  const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache`, LOCALAPPDATA: caches = XDG_CACHE_HOME } = process.env;
  if (caches) module.enableCompileCache?.(`${caches}/mannerly`);
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
}

/** Prints the help that is published with the package: loading the program takes longer. @returns Whether it did */
function printsHelp([asked, ...more]) {
  if (!['--help', '-h', 'help'].includes(asked) || more.length > 0) return false;
  try {
    writeFileSync(1, readFileSync(new URL('../dist/help.txt', import.meta.url)));
    return true;
  } catch {
    // There is none in the workspace, or no one reads it: the program knows what to do.
    return false;
  }
}
