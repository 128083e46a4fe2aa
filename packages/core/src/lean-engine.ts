// The engine as the command wants it, before anything is compiled.

/**
 * `import 'mannerly/lean-engine'` as the first line of a program sets its engine as the command `mannerly` sets its own. It exports
 * nothing, and changes the whole process, which is why nothing else does it.
 *
 * - The HTTP parser is one large WebAssembly function, and to optimise it takes V8 some 36 megabytes for a moment, once in every
 *   process, for three hundredths of a crawl's processor time: it is not optimised.
 * - A crawl that has nothing to do for a minute or longer collects its garbage first.
 *
 * @packageDocumentation
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collectBy } from './give-back.js';

setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
setFlagsFromString('--no-expose-gc');

// What is left lies scattered over as many pages as before: moved together, the others go back to the system.
collectBy(() => {
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
});
