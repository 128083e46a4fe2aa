// Lines of source fit on a screen, comments included. Only a long string, template or regular expression may be longer,
// because no formatter can break it and test data must stay unchanged. Pure.

import { parseSync } from 'oxc-parser';
import type { Fault, SourceFile } from './source-tree.js';

/** The most columns of a line. The formatter keeps code below it where it can break a line. */
export const MAX_COLUMNS = 120;
/** Literals of at least this many columns may make a line too long. */
const LONG_LITERAL = 40;

const LITERALS: ReadonlySet<string> = new Set(['Literal', 'TemplateLiteral', 'TemplateElement']);

/** Lines over `MAX_COLUMNS` that could be broken. */
export function columnFaults(files: readonly SourceFile[]): Fault[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    if (!lines.some(isLong)) return [];
    const literals = literalsOf(path, text);
    let start = 0;
    return lines.flatMap((line, index) => {
      const [from, to] = [start, start + line.length];
      start = to + 1;
      const isExcused = literals.some(([a, b]) => Math.min(b, to) - Math.max(a, from) >= LONG_LITERAL);
      return isLong(line) && !isExcused
        ? [{ path: `${path}:${index + 1}`, message: `${[...line].length} columns, at most ${MAX_COLUMNS}` }]
        : [];
    });
  });
}

function isLong(line: string): boolean {
  return line.length > MAX_COLUMNS && [...line].length > MAX_COLUMNS;
}

/** Where the literals of a source start and end. */
function literalsOf(path: string, text: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      node.forEach(walk);
      return;
    }
    const { type, start, end } = node as { type?: string; start?: number; end?: number };
    if (type !== undefined && LITERALS.has(type) && start !== undefined && end !== undefined) found.push([start, end]);
    Object.values(node).forEach(walk);
  };
  walk(parseSync(path, text).program);
  return found;
}
