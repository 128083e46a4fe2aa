// The values that the code may use, read from its sources with a parser: unions of string literals, as a type or as one
// property of an interface. Tables in the documentation are compared with them. Pure, except that it reads the file.

import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { rootPath } from '../house/source-tree.js';

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * The string literals of a type.
 *
 * @param path - The source, from the root of the checkout.
 * @param name - `FailureCode`, or `HostWarning.code` for a property of an interface.
 * @returns In the order of the source, without the names of other types in the union.
 * @throws Error if the type is missing or has no literals: an empty list would count as complete.
 */
export function wordsOf(path: string, name: string): string[] {
  const declared = declarationOf(path, name);
  const words = literalsOf(declared);
  if (words.length === 0) throw new Error(`${path}: ${name} has no words`);
  return words;
}

/** The keys of an interface. @throws Error if it is missing or has none. */
export function keysOf(path: string, name: string): string[] {
  const body = declarationOf(path, name)['body'] as Node;
  const keys = (body['body'] as Node[]).flatMap((member) => keyOf(member) ?? []);
  if (keys.length === 0) throw new Error(`${path}: ${name} has no keys`);
  return keys;
}

function textOf(path: string): string {
  return readFileSync(rootPath + path, 'utf8');
}

function declarationOf(path: string, name: string): Node {
  const [type, property] = name.split('.');
  const { program, errors } = parseSync(path, textOf(path));
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const statements = (program as unknown as { body: Node[] }).body;
  const found = statements
    .map((statement) => (statement['declaration'] as Node | null | undefined) ?? statement)
    .find((declaration) => (declaration['id'] as Node | undefined)?.['name'] === type);
  if (found === undefined) throw new Error(`${path} declares no ${type}`);
  if (property === undefined) return found;
  const members = (found['body'] as Node)['body'] as Node[];
  const member = members.find((each) => keyOf(each) === property);
  if (member === undefined) throw new Error(`${path}: ${type} has no ${property}`);
  return member;
}

function keyOf(member: Node): string | null {
  const key = member['key'] as Node | undefined;
  const name = key?.['name'] ?? key?.['value'];
  return typeof name === 'string' ? name : null;
}

function literalsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(literalsOf);
  const { type, literal } = node as Node;
  if (type === 'TSLiteralType') {
    const value = (literal as Node)['value'];
    return typeof value === 'string' ? [value] : [];
  }
  // A quoted key is not a member of the union.
  return Object.entries(node).flatMap(([name, value]) => (name === 'key' ? [] : literalsOf(value)));
}
