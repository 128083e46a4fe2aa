// A missing library is reported with its name and the command that installs it.

import { expect, it } from 'vitest';
import { loadPeer } from './optional-peer.js';

it('a library that is not installed', async () => {
  await expect(loadPeer('a-library-that-is-not-there', '`page.x`')).rejects.toMatchObject({
    code: 'peer-missing',
    message: '`page.x` needs a-library-that-is-not-there, which is not installed',
    hint: expect.stringContaining('npm install a-library-that-is-not-there'),
  });
});

it('one that is needed together with another: the command installs both', async () => {
  await expect(loadPeer('not-there', '`page.x`', 'not-there nor-there')).rejects.toMatchObject({
    hint: expect.stringContaining('npm install not-there nor-there ('),
  });
});

it('one that is installed', async () => {
  expect(await loadPeer('node:path', 'a test')).toHaveProperty('join');
});
