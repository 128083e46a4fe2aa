// The configuration file of a crawl: finds it, reads it as JSON or loads it as a module, and checks it.

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { MannerlyError } from '../errors.js';
import { fill } from '../options/check.js';
import type { CrawlConfig } from '../options/config.js';
import { group, type Shape } from '../options/row.js';
import { CONFIG_OPTIONS } from '../options/table.js';
import { isObject } from '../parse-json.js';
import { UsageError } from './failure.js';
import { loadUserModule } from './user-module.js';

export const CONFIG_NAMES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `mannerly.config.${extension}`,
);

/** Bytes of a JSON file: 100,000 seeds of ordinary length. */
const MAX_CONFIG_BYTES = 16 * 1024 * 1024;

/** The file of a working directory; `null` if there is none. @throws UsageError if there are several */
export function findConfig(directory: string): string | null {
  const found = CONFIG_NAMES.filter((name) => existsSync(join(directory, name)));
  if (found.length > 1) {
    const hint = 'Name one with --config <file>, or none with --no-config.';
    throw new UsageError(`several configurations are here: ${found.join(', ')}`, hint);
  }
  return found[0] === undefined ? null : join(directory, found[0]);
}

/** Reads and checks a file, and makes its paths absolute. @throws UsageError naming the file, the key and the value */
export async function readConfig(file: string): Promise<CrawlConfig> {
  const path = resolve(file);
  const isJson = extname(path) === '.json';
  if (!existsSync(path)) {
    throw new UsageError(`${file} is not there`, 'Name the configuration with --config <file>.');
  }
  const { default: exported, config } = isJson ? { default: await readJson(file, path) } : await loadUserModule(file);
  const value = exported ?? config;
  if (!isObject(value)) {
    const hint = isJson ? 'It is one JSON object.' : 'Export it: export default defineConfig({ … }).';
    throw new UsageError(`${file} holds no configuration`, hint);
  }
  try {
    fill('', CONFIG_OPTIONS, value);
  } catch (error) {
    if (!(error instanceof MannerlyError)) throw error;
    throw new UsageError(`${file}: ${error.message}`, error.hint);
  }
  return withPaths(group('CrawlConfig', CONFIG_OPTIONS), value, dirname(path)) as CrawlConfig;
}

async function readJson(file: string, path: string): Promise<unknown> {
  const { size } = await stat(path);
  if (size > MAX_CONFIG_BYTES) {
    throw new UsageError(`${file} has ${size} bytes; a configuration has at most ${MAX_CONFIG_BYTES}`);
  }
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(
      `${file} is not JSON: ${error.message}`,
      'mannerly init writes a project with a configuration to start from.',
    );
  }
}

/** A value with its paths made absolute: paths in a file are relative to it, wherever the command is called. */
function withPaths(shape: Shape, value: unknown, folder: string): unknown {
  if (shape.kind === 'either') return shape.shapes.reduce((each, one) => withPaths(one, each, folder), value);
  if (shape.kind === 'list' && Array.isArray(value)) return value.map((each) => withPaths(shape.of, each, folder));
  if (shape.kind === 'group' && isObject(value)) {
    const { rows } = shape;
    const entries = Object.entries(value).map(([name, each]) => {
      const row = rows[name];
      return [name, row === undefined ? each : withPaths(row.shape, each, folder)] as const;
    });
    return Object.fromEntries(entries);
  }
  if (shape.kind !== 'text' || shape.path === undefined || typeof value !== 'string') return value;
  const [, prefix = '', path = ''] = /^((?:[^=]+=)?file:)?(.+)$/s.exec(value) ?? [];
  const isPath = { always: true, 'with a slash': value.includes('/'), 'after file:': prefix !== '' }[shape.path];
  return isPath ? `${prefix}${resolve(folder, path)}` : value;
}
