// Loads a user's module, a configuration or handlers, and says what to do if it does not load.

import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from './failure.js';

/** Its exports. @throws UsageError if it does not load */
export async function loadUserModule(
  file: string,
  readsTypeScript = canStripTypes(),
): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file);
  const hint = 'The path of a file is relative to the file that names it, of --handlers to the working directory.';
  if (!existsSync(path)) throw new UsageError(`${file} could not be loaded: it does not exist`, hint);
  if (/^\.[mc]?ts$/.test(extname(path)) && !readsTypeScript) {
    const hint = 'Use Node.js 22.18 or newer, or write it in JavaScript (.js or .mjs).';
    throw new UsageError(`${file} is TypeScript, which this Node.js (${process.version}) cannot run`, hint);
  }
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new UsageError(`${file} could not be loaded: ${String(error)}${errorLocation(error)}`, hintOf(error, file));
  }
}

/** Whether this Node.js loads TypeScript by stripping types. */
function canStripTypes(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}

function hintOf(error: unknown, file: string): string {
  const { code } = Object(error) as { readonly code?: unknown };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Node.js removes types and compiles nothing: write no enum, namespace or parameter property.';
  if (code === 'ERR_MODULE_NOT_FOUND' && /\.[mc]?ts$/.test(file) && /module '.+\.[mc]?js'/.test(String(error)))
    return "Node.js imports a TypeScript file by its own name: './title.ts', not './title.js'.";
  const [, missing] = /^Error.*: Cannot find package '([^']+)'/.exec(String(error)) ?? [];
  // A package that is installed globally is not found from a project.
  if (missing !== undefined) return `Install it in the project of this file: npm install ${missing}`;
  return error instanceof SyntaxError
    ? `"node --check ${file}" shows the line.`
    : 'It is an ES module: .mjs or .js, or .ts where this version of Node.js reads that.';
}

/** The first file and line that an error names; empty if it names none. */
export function errorLocation(error: unknown): string {
  const place = error instanceof Error ? /file:\/\/\S+?:\d+(?::\d+)?/.exec(error.stack ?? '')?.[0] : undefined;
  return place === undefined ? '' : ` (at ${place})`;
}
