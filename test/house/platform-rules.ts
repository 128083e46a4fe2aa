// Functions of the platform with wrong results, and what to use instead. Pure.
//
// `URL.canParse`: on Node 20 and 22 its fast path, which is taken once the caller has been optimised, reads the bytes
// of a Latin-1 string as UTF-8. Then `https://exämple.com/` is not a URL, but only in long runs. Calling the
// constructor is always right.

import type { ModuleFacts } from './module-facts.js';
import type { Fault, SourceFile } from './source-tree.js';

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['canParse', 'wrong of hosts beyond ASCII once it is optimised: try the constructor once (parse-url.ts)'],
]);

/** Files that name it in order to forbid it, and the tests that show the fault. */
const KNOWING = /^test\/house\/|(^|\/)hosts-beyond-ascii\.test\.ts$/;

/** Other sources that call it. */
export function platformFaults(modules: readonly ModuleFacts[]): Fault[] {
  return modules
    .filter(({ path }) => /^(packages|examples|test)\//.test(path) && !KNOWING.test(path))
    .flatMap(({ path, misleading }) =>
      misleading.map(({ name, line }) => ({ path: `${path}:${line}`, message: `${name}: ${INSTEAD.get(name)}` })),
    );
}

/** Code blocks of documents that call it: people copy them. */
export function sampleFaults(documents: readonly SourceFile[]): Fault[] {
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(/^```[\s\S]*?^```/gm)].flatMap(([sample]) =>
      [...INSTEAD]
        .filter(([name]) => new RegExp(`\\b${name}\\b`).test(sample))
        .map(([name, instead]) => ({ path, message: `${name} in a sample: ${instead}` })),
    ),
  );
}
