// The glossary's forbidden words (docs/glossary.md), found in documents, messages, comments and identifiers alike.
// Pure.

import type { Fault, SourceFile } from './source-tree.js';

/**
 * Files that quote the forbidden words: the rule and its test, the glossary and its decision, the table of old names,
 * and the entries of past releases.
 */
const QUOTING: readonly RegExp[] = [
  /^test\/house\/(word-rules|words\.test)\.ts$/,
  /^docs\/(glossary|decisions\/0031-plain-words)\.md$/,
  /^(CHANGELOG|UPGRADING)\.md$/,
];

/** Each pattern, and the words to use instead. Patterns see one line with camelCase and snake_case split up. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\boctets?\b(?!-stream)/i, 'byte'],
  // Except as a value of a browser's API.
  [/\binstants?\b(?!')/i, 'time, timestamp'],
  [/\breckon(s|ed|ing|er)?\b/i, 'compute, estimate'],
  [/\bforet(ell|ells|elling|old)\b/i, 'predict'],
  [/\bwho(so)?ever\b/i, 'name who it is'],
  [/\bnobody\b/i, 'name who it is'],
  [/\bknobs?\b/i, 'option'],
  [/\b(rooms?|roads?|doors?|houses?|floors?)\b/i, 'module, path, egress, admission, project, layer'],
  [/\bpatience\b/i, 'maxIdleMs, the longest wait'],
  [/\bwish(es|ed)?\b/i, 'directive, preference, request'],
  [/\bblows?\b/i, 'fault'],
  [/\btrials?\b/i, 'test, attempt'],
  [/\bbeside\b/i, 'next to, besides, with'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bin hand\b/i, 'in flight'],
  [/\b(let|lets|letting) go\b/i, 'release'],
  [/\b(of|to|for|by|from) whom\b/i, 'name who it is'],
  [/\bwhat came of\b/i, 'result, outcome'],
  [/\b(held|hold|holds|holding) against\b/i, 'compared with'],
];

/** Literal uses, removed from a line before the patterns see it. */
const LITERAL: readonly RegExp[] = [
  /\b[Mm]ath\.floor\b/g,
  /\bhouse (rules?|tests?|style)\b/gi,
  /\bhouse(?=\/)|\/house\b|`house`/g,
  // File names of decisions stay, because other pages link to them.
  /\b\d{4}-[a-z0-9-]+/g,
];

/** Forbidden words in the given files, each with its line and with the words to use instead. */
export function wordFaults(files: readonly SourceFile[]): Fault[] {
  return files
    .filter(({ path }) => !QUOTING.some((pattern) => pattern.test(path)))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const words = split(LITERAL.reduce((rest, literal) => rest.replace(literal, ''), line));
        return FORBIDDEN.flatMap(([pattern, instead]) => {
          const found = pattern.exec(words);
          return found === null ? [] : [{ path: `${path}:${index + 1}`, message: `"${found[0]}": write ${instead}` }];
        });
      }),
    );
}

/** `isInHand` and `in_hand` become `is In Hand` and `in hand`. */
function split(line: string): string {
  return line.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ');
}
