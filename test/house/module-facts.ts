// The facts of one TypeScript source: imports, exports, doc comments and the ambient names that it uses. Read with a
// parser, not with patterns, so that a word in a string or a comment is never taken for an import.

import { type Comment, type ParseResult, parseSync } from 'oxc-parser';
import type { SourceFile } from './source-tree.js';

/** One import of any form: static, re-export, dynamic, or an import type. */
export interface ImportFact {
  readonly specifier: string;
  readonly line: number;
  readonly names: readonly string[];
}

/** A name that a module exports. */
export interface ExportFact {
  readonly name: string;
  /** Its origin and its name there if it is re-exported; `null` if it is declared here. */
  readonly from: { readonly specifier: string; readonly name: string } | null;
  /** Whether a `/** … *\/` comment is directly above its declaration here. */
  readonly hasDoc: boolean;
}

/** The facts of one module. */
export interface ModuleFacts {
  readonly path: string;
  readonly imports: readonly ImportFact[];
  readonly exports: readonly ExportFact[];
  readonly hasDefaultExport: boolean;
  readonly exportStars: number;
  /** Ambient names used, such as `Date.now`, `setTimeout`, `process`; with their lines. */
  readonly ambient: readonly { readonly name: string; readonly line: number }[];
  /** Functions of the platform with wrong results, however they are written: `URL.canParse`; with their lines. */
  readonly misleading: readonly { readonly name: string; readonly line: number }[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const AMBIENT = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'performance',
  'fetch',
  'Buffer',
  'require',
  'console',
  'globalThis',
]);

/** See platform-rules.ts. */
export const MISLEADING = new Set(['canParse']);

/**
 * Reads one source; its tree, which takes longest, when first asked for something in it.
 *
 * @throws Error with the parser's message if the source does not parse.
 */
export function readModule({ path, text }: SourceFile): ModuleFacts {
  let parsed: ParseResult | null = parseSync(path, text);
  const error = parsed.errors[0];
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  const entries = parsed.module.staticExports.flatMap((statement) => statement.entries);
  let facts: Omit<ModuleFacts, 'path' | 'hasDefaultExport' | 'exportStars'>;
  const ofTree = () => {
    if (parsed !== null) facts = factsOfTree(parsed, text);
    // A tree takes much memory.
    parsed = null;
    return facts;
  };
  return {
    path,
    get imports() {
      return ofTree().imports;
    },
    get exports() {
      return ofTree().exports;
    },
    get ambient() {
      return ofTree().ambient;
    },
    get misleading() {
      return ofTree().misleading;
    },
    hasDefaultExport: entries.some(({ exportName }) => exportName.kind === 'Default' || exportName.name === 'default'),
    exportStars: entries.filter(({ importName }) => importName.kind === 'AllButDefault' || importName.kind === 'All')
      .length,
  };
}

function factsOfTree(parsed: ParseResult, text: string) {
  const lineOf = lineFinder(text);
  const program = parsed.program as unknown as Node;
  const imports: ImportFact[] = [];
  const ambient: { name: string; line: number }[] = [];
  const misleading: { name: string; line: number }[] = [];
  walk(program, null, (node, parent) => {
    const request = importOf(node);
    if (request !== null) imports.push({ ...request, line: lineOf(node.start) });
    const name = ambientOf(node, parent);
    if (name !== null) ambient.push({ name, line: lineOf(node.start) });
    const property = nameOf(node) ?? node['value'];
    if (typeof property === 'string' && MISLEADING.has(property))
      misleading.push({ name: property, line: lineOf(node.start) });
  });
  return { imports, exports: exportsOf(program, parsed.comments, text), ambient, misleading };
}

function walk(node: Node, parent: Node | null, visit: (node: Node, parent: Node | null) => void): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, node, visit);
    }
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  );
}

function importOf(node: Node): { specifier: string; names: string[] } | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType': {
      const source = node['source'] ?? node['argument'];
      if (!isNode(source)) return null;
      const literal = isNode(source['literal']) ? source['literal'] : source;
      const specifier = literal['value'];
      return typeof specifier === 'string' ? { specifier, names: importedNames(node) } : null;
    }
    default:
      return null;
  }
}

function importedNames(node: Node): string[] {
  const specifiers = Array.isArray(node['specifiers']) ? node['specifiers'].filter(isNode) : [];
  return specifiers.map((specifier) => nameOf(specifier['imported'] ?? specifier['local']) ?? '*');
}

function nameOf(node: unknown): string | null {
  return isNode(node) && typeof node['name'] === 'string' ? node['name'] : null;
}

function ambientOf(node: Node, parent: Node | null): string | null {
  if (node.type === 'MemberExpression') {
    const pair = `${nameOf(node['object']) ?? ''}.${nameOf(node['property']) ?? ''}`;
    return pair === 'Date.now' || pair === 'Math.random' ? pair : null;
  }
  if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Date') {
    const args = node['arguments'];
    return Array.isArray(args) && args.length === 0 ? 'new Date()' : null;
  }
  if (node.type !== 'Identifier') return null;
  const name = nameOf(node);
  if (name === null || !AMBIENT.has(name) || parent === null) return null;
  const isPropertyName =
    (parent.type === 'MemberExpression' && parent['property'] === node && parent['computed'] !== true) ||
    (parent['key'] === node && parent['shorthand'] !== true) ||
    parent.type.startsWith('TS');
  return isPropertyName ? null : name;
}

function exportsOf(program: Node, comments: readonly Comment[], text: string): ExportFact[] {
  const body = Array.isArray(program['body']) ? program['body'].filter(isNode) : [];
  const documented = new Map<string, boolean>();
  for (const statement of body) {
    const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement;
    for (const name of declaredNames(declaration)) {
      documented.set(name, (documented.get(name) ?? false) || hasDocAbove(statement, comments, text));
    }
  }
  const found = new Map<string, ExportFact>();
  for (const statement of body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    if (isNode(statement['declaration'])) {
      for (const name of declaredNames(statement['declaration'])) {
        found.set(name, { name, from: null, hasDoc: documented.get(name) ?? false });
      }
    }
    const specifier = isNode(statement['source']) ? statement['source']['value'] : null;
    for (const entry of Array.isArray(statement['specifiers']) ? statement['specifiers'].filter(isNode) : []) {
      const local = nameOf(entry['local']) ?? '';
      const name = nameOf(entry['exported']) ?? local;
      const from = typeof specifier === 'string' ? { specifier, name: local } : null;
      found.set(name, { name, from, hasDoc: from === null && (documented.get(local) ?? false) });
    }
  }
  return [...found.values()];
}

function declaredNames(declaration: Node): string[] {
  const one = nameOf(declaration['id']);
  if (one !== null) return [one];
  const declarators = Array.isArray(declaration['declarations']) ? declaration['declarations'].filter(isNode) : [];
  return declarators.flatMap((declarator) => nameOf(declarator['id']) ?? []);
}

function hasDocAbove(statement: Node, comments: readonly Comment[], text: string): boolean {
  return comments.some(
    (comment) =>
      comment.type === 'Block' &&
      comment.value.startsWith('*') &&
      comment.end <= statement.start &&
      text.slice(comment.end, statement.start).trim() === '',
  );
}

function lineFinder(text: string): (offset: number) => number {
  return (offset) => text.slice(0, offset).split('\n').length;
}
