// Facts about the code in documents, as far as they can be checked: links have a target, commands and files exist.
// Pure.

import { posix } from 'node:path';
import type { Fault, SourceFile } from './source-tree.js';

/** Relative links whose file, folder or heading does not exist. Links to the web are not followed. */
export function linkFaults(documents: readonly SourceFile[], paths: readonly string[]): Fault[] {
  const known = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]));
  const byPath = new Map(documents.map((document) => [document.path, document]));
  return documents.flatMap((document) =>
    [...prose(document.text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? document.path : posix.join(posix.dirname(document.path), file).replace(/\/$/, '');
      if (!known.has(path)) return [{ path: document.path, message: `a link to nothing: ${target}` }];
      const there = byPath.get(path);
      if (anchor === undefined || there === undefined || headingsOf(there.text).includes(anchor)) return [];
      return [{ path: document.path, message: `a link to a heading that is not there: ${target}` }];
    }),
  );
}

/** Commands `npx -y pnpm@10 NAME` that are neither a script of the workspace nor a command of pnpm. */
export function commandFaults(documents: readonly SourceFile[], scripts: readonly string[]): Fault[] {
  const words = new Set([...scripts, 'exec', 'install', 'run', '--filter']);
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(/npx -y pnpm@10 ([\w:-]+)/g)].flatMap(([, name = '']) =>
      words.has(name) ? [] : [{ path, message: `a command that does not exist: ${name}` }],
    ),
  );
}

/** Sources named as `core/fetch/egress.ts` that do not exist. */
export function sourceFaults(documents: readonly SourceFile[], paths: readonly string[]): Fault[] {
  const known = new Set(paths);
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(robots|frontier|core)\/([\w/-]+\.ts)\b/g)].flatMap(([name, folder, rest]) =>
      known.has(`packages/${folder}/src/${rest}`) ? [] : [{ path, message: `a source that does not exist: ${name}` }],
    ),
  );
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The text without code, where brackets are not links. */
function prose(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
}

function headingsOf(text: string): string[] {
  return [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replace(/ /g, '-'),
  );
}
