// Every code of a package's error class has a heading in its README, and every heading a code. A person who sees a code
// must find it, and must not find one that no longer exists. Pure.

import type { Fault, SourceFile } from './source-tree.js';

/**
 * The codes of the union `…ErrorCode` in a source.
 *
 * @returns `[]` if there is no such union: the caller decides what that means.
 */
export function errorCodes(source: string): string[] {
  const withoutComments = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const union = /type \w+ErrorCode =([^;]*);/.exec(withoutComments)?.[1] ?? '';
  return [...union.matchAll(/'([^']+)'/g)].flatMap(([, code]) => (code === undefined ? [] : [code]));
}

/** Codes without a heading in the README's section of errors, headings there without a code, and empty headings. */
export function readmeCodeFaults(codes: readonly string[], readme: SourceFile): Fault[] {
  const { path } = readme;
  if (codes.length === 0) return [{ path, message: 'no error codes to look for' }];
  const headed = codeHeadings(readme.text);
  const names = headed.map(({ code }) => code);
  return [
    ...codes.filter((code) => !names.includes(code)).map((code) => ({ path, message: `no heading for ${code}` })),
    ...names
      .filter((name) => !codes.includes(name))
      .map((name) => ({ path, message: `a heading for no code: ${name}` })),
    ...headed.filter(({ isEmpty }) => isEmpty).map(({ code }) => ({ path, message: `nothing is said under ${code}` })),
  ];
}

/** The headings `### \`code\`` between `## Errors` and the next heading of its level. */
function codeHeadings(text: string): { readonly code: string; readonly isEmpty: boolean }[] {
  const plain = text.replace(/```[\s\S]*?```/g, '');
  const section = /^## Errors\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(plain)?.[1] ?? '';
  return [...section.matchAll(/^### `([^`]+)`\n([\s\S]*?)(?=^### |$(?![\s\S]))/gm)].map(
    ([, code = '', description = '']) => ({
      code,
      isEmpty: description.trim() === '',
    }),
  );
}
