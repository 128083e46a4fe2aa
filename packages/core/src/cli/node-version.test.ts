// Anyone who comes with an old Node.js has to hear that, and not a syntax error.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tooOldText } from './node-version.js';

it.each(['18.20.4', '20.18.9', '16.0.0', '0.12.18'])('%s is told what is needed and what it is', (version) => {
  expect(tooOldText(version)).toContain(`needs Node.js 20.19 or newer, and this is ${version}\n  Install`);
});

it.each(['20.19.0', '20.20.1', '21.0.0', '22.3.0', '24.0.0', process.versions.node])('%s will do', (version) => {
  expect(tooOldText(version)).toBeNull();
});

it('is what the package says it needs', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  };
  const least = manifest.engines.node.replace('>=', '');
  expect(tooOldText(`${least}.0`)).toBeNull();
  expect(tooOldText('20.18.0')).toContain(`Node.js ${least} or newer`);
});
