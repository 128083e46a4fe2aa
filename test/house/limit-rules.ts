// Everything has a bound: a named constant in its package's limits.ts, with its unit and its source, that is used.
// Pure. Reviewers judge whether the comment names the unit; this checks that there are a comment, a bound and a user.

import type { ModuleFacts } from './module-facts.js';
import type { Fault, SourceFile } from './source-tree.js';

/** Exports of a limits.ts without a comment, without a bound, or without a user. */
export function limitFaults(limits: SourceFile, facts: ModuleFacts, users: readonly SourceFile[]): Fault[] {
  const lines = limits.text.split('\n');
  const unbounded = lines.flatMap((line, index) =>
    !isComment(line) && /\b(Infinity|MAX_SAFE_INTEGER|MAX_VALUE)\b/.test(line.replace(/\/\/.*$/, ''))
      ? [{ path: `${limits.path}:${index + 1}`, message: 'a limit without a bound' }]
      : [],
  );
  const unnamed = facts.exports.flatMap(({ name }) => {
    const word = new RegExp(`\\b${name}\\b`);
    const hasUser =
      users.some((user) => word.test(user.text)) ||
      lines.some((line) => !isComment(line) && word.test(line) && !new RegExp(`\\bexport const ${name}\\b`).test(line));
    return [
      ...(hasWords(lines, name)
        ? []
        : [{ path: limits.path, message: `${name}: no comment with its unit and source` }]),
      ...(hasUser ? [] : [{ path: limits.path, message: `${name}: nothing uses it` }]),
    ];
  });
  return [...unbounded, ...unnamed];
}

/** Constants that name a bound in another way than `MAX_…`, `MIN_…` or, for a default, `DEFAULT_MAX_…`. */
export function boundNameFaults({ path, text }: SourceFile): Fault[] {
  const names = Array.from(text.matchAll(/\b(?:const|local) ([A-Z][A-Z0-9_]*)\b/g), ([, name = '']) => name);
  return names
    .filter((name) => /(?:^|_)(?:MOST|LEAST)(?:_|$)|(?<!^DEFAULT)_(?:MAX|MIN)(?:_|$)/.test(name))
    .map((name) => ({ path, message: `${name}: begin the name of a bound with MAX_ or MIN_` }));
}

/** Comments are on the line itself, or above its block of constants. */
function hasWords(lines: readonly string[], name: string): boolean {
  let at = lines.findIndex((line) => new RegExp(`\\bexport const ${name}\\b`).test(line));
  if (at < 0) return false;
  if (/\/\/|\/\*/.test(lines[at] ?? '')) return true;
  while (/^export const /.test(lines[at - 1] ?? '')) at -= 1;
  return isComment(lines[at - 1] ?? '');
}

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/\*|\*)/.test(line);
}
