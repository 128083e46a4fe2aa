// A user with an old Node.js must get a message about it, not a syntax error.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tooOldText } from './node-version.js';

it.each(['18.20.4', '20.18.9', '16.0.0', '0.12.18'])(
  '%s is refused, with the needed version and its own',
  (version) => {
    expect(tooOldText(version)).toContain(`needs Node.js 20.19 or newer, and this is ${version}\n  Install`);
  },
);

it.each(['20.19.0', '20.20.1', '21.0.0', '22.3.0', '24.0.0', process.versions.node])('%s is accepted', (version) => {
  expect(tooOldText(version)).toBeNull();
});

it('is the version that the package requires', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  };
  const least = manifest.engines.node.replace('>=', '');
  expect(tooOldText(`${least}.0`)).toBeNull();
  expect(tooOldText('20.18.0')).toContain(`Node.js ${least} or newer`);
});
