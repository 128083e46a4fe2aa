#!/usr/bin/env node
import { tooOldText } from '../dist/cli/node-version.js';

const tooOld = tooOldText(process.versions.node);
if (tooOld === null) {
  await import('../dist/lean-engine.js');
  await import('../dist/cli/main.js');
} else {
  console.error(tooOld);
  process.exitCode = 2;
}
