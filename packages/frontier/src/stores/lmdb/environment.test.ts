// What to do if lmdb cannot be loaded. A path with `#`, `%` or `?` makes it look for its binary in another folder, and
// another installation would not help.

import { expect, it } from 'vitest';
import { loadHint } from './environment.js';

it.each([
  ['/c#/node_modules/x.js', /no folder whose path has "#"/],
  ['/100%/node_modules/x.js', /no folder whose path has "%"/],
  ['/c/node_modules/x.js', /optional dependency/],
])('the hint for %s names the character, if one is the cause', (path, hint) => {
  expect(loadHint(path)).toMatch(hint);
});
