// What every file needs: a name that fits its content, a header, a length that fits one concept, and nothing that is
// true on one machine only. Pure.

import type { Fault, SourceFile } from './source-tree.js';

/** The most lines of a file whose header does not say why it is still one concept. */
export const MAX_UNEXPLAINED_LINES = 400;

const NAMELESS = /^(utils?|helpers?|common|types|misc)$/;

/**
 * Files and folders with meaningless names. `test/types` is named for what it holds: code that must or must not
 * compile.
 */
export function nameFaults(paths: readonly string[]): Fault[] {
  return paths
    .filter((path) => !path.startsWith('test/types/'))
    .filter((path) => path.split('/').some((part) => NAMELESS.test(part.replace(/(\.test)?\.[a-z]+$/, ''))))
    .map((path) => ({ path, message: 'a name that says nothing: a thing without a better name has no owner yet' }));
}

/** Sources that do not start with a comment. */
export function headerFaults(files: readonly SourceFile[]): Fault[] {
  return files.filter((file) => headerOf(file.text) === '').map(({ path }) => ({ path, message: 'no header comment' }));
}

/** Sources longer than `MAX_UNEXPLAINED_LINES` whose header does not say "one file" or "still one". */
export function lengthFaults(files: readonly SourceFile[]): Fault[] {
  return files
    .filter(
      (file) => linesOf(file.text) > MAX_UNEXPLAINED_LINES && !/\b(one file|still one)\b/i.test(headerOf(file.text)),
    )
    .map((file) => ({
      path: file.path,
      message: `${linesOf(file.text)} lines, and its header does not say why it is still one`,
    }));
}

// Split up, so that this file does not contain what it looks for.
const FOREIGN: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/(?<![\w.-])\/(?:w[o]rk|f[a]rm)\//, 'a path of one machine'],
  [/(?<![\w.-])\/(?:ho[m]e|Use[r]s)\/[a-z][\w-]*\//, 'a path of one machine'],
  [/registry\.n[p]mjs|n[p]mjs\.(?:org|com)|registry\.ya[r]npkg|deb\.d[e]bian\.org/, 'a host of a package registry'],
];

/** Lines that only make sense on the machine where they were written, or that name a registry's host. */
export function machineFaults(files: readonly SourceFile[]): Fault[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = FOREIGN.find(([pattern]) => pattern.test(line));
      return found === undefined ? [] : [{ path: `${path}:${index + 1}`, message: found[1] }];
    }),
  );
}

/** Messages and help texts that refer to documents outside the packages. Comments may do so. */
export function unpublishedFaults(files: readonly SourceFile[]): Fault[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isComment = /^\s*(\/?\*|\/\/)/.test(line);
      return isComment || !/\bdocs\/[\w/-]+\.md/.test(line)
        ? []
        : [{ path: `${path}:${index + 1}`, message: 'leads to a document that users of the package do not have' }];
    }),
  );
}

function linesOf(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

/** The comment at the start of a file, after a `#!` line; empty if it starts with code. */
function headerOf(text: string): string {
  const body = text.replace(/^#!.*\n/, '').trimStart();
  if (body.startsWith('/*')) return body.slice(0, body.indexOf('*/') + 2);
  const lines = body.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end < 0 ? lines.length : end).join('\n');
}
