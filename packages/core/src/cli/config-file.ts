// The configuration file of a crawl: finds it, reads it as JSON or loads it as a module, and checks it.

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MannerlyError } from '../errors.js';
import { fill } from '../options/check.js';
import type { CrawlConfig } from '../options/config.js';
import { CONFIG_OPTIONS } from '../options/table.js';
import { UsageError } from './failure.js';

/** Names of the file, in a working directory. */
export const CONFIG_NAMES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `mannerly.config.${extension}`,
);

/** Bytes of a JSON file: 100,000 seeds of ordinary length. */
const MAX_CONFIG_BYTES = 16 * 1024 * 1024;

/** The file of a working directory; `null`: there is none. @throws UsageError where there are several */
export function findConfig(directory: string): string | null {
  const found = CONFIG_NAMES.filter((name) => existsSync(join(directory, name)));
  if (found.length > 1) {
    const hint = 'Name one with --config <file>, or none with --no-config.';
    throw new UsageError(`several configurations are here: ${found.join(', ')}`, hint);
  }
  return found[0] === undefined ? null : join(directory, found[0]);
}

/** Reads and checks a file, and makes its paths absolute. @throws UsageError naming the file, the key and the value */
export async function readConfig(file: string, readsTypeScript = stripsTypes()): Promise<CrawlConfig> {
  const path = resolve(file);
  const isJson = extname(path) === '.json';
  if (!existsSync(path)) {
    throw new UsageError(`${file} is not there`, 'Name the configuration with --config <file>.');
  }
  if (/^\.[mc]?ts$/.test(extname(path)) && !readsTypeScript) {
    const hint =
      'Use Node.js 22.18 or newer, or write it as mannerly.config.js (defineConfig gives completion there too) or .json.';
    throw new UsageError(`${file} is TypeScript, which this Node.js (${process.version}) does not read`, hint);
  }
  const value = isJson ? await readJson(file, path) : await loadModule(file, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const hint = isJson ? 'It is one JSON object.' : 'Export it: export default defineConfig({ … }).';
    throw new UsageError(`${file} holds no configuration`, hint);
  }
  try {
    fill('', CONFIG_OPTIONS, value);
  } catch (error) {
    if (!(error instanceof MannerlyError)) throw error;
    throw new UsageError(`${file}: ${error.message}`, 'docs/reference/options.md lists every key.');
  }
  return withPaths(value as CrawlConfig, dirname(path));
}

/** Whether this Node.js loads TypeScript by stripping types. */
function stripsTypes(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
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
    throw new UsageError(`${file} is not JSON: ${error.message}`, 'docs/config.md has one to start from.');
  }
}

async function loadModule(file: string, path: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
    return module['default'] ?? module['config'];
  } catch (error) {
    throw new UsageError(`${file} could not be loaded: ${String(error)}`, 'It is an ES module with a default export.');
  }
}

/** Paths in the file are relative to it, wherever the command is called from. */
function withPaths(config: CrawlConfig, folder: string): CrawlConfig {
  const { archive } = config;
  const paths = (['handlers', 'out', 'csv', 'sqlite'] as const).flatMap((name) => {
    const path = config[name];
    return path === undefined ? [] : [[name, resolve(folder, path)]];
  });
  const inFolder = typeof archive === 'object' && archive.folder !== undefined ? resolve(folder, archive.folder) : null;
  const archived = inFolder === null ? {} : { archive: { ...(archive as object), folder: inFolder } };
  return {
    ...config,
    ...archived,
    ...browserIn(config, folder),
    ...keyIn(config, folder),
    ...tokensIn(config, folder),
    ...proxyIn(config, folder),
    ...signInIn(config, folder),
    ...serversIn(config, folder),
    ...Object.fromEntries(paths),
  };
}

/** `browser.program` as an absolute path, unless it is a name on the PATH. */
function browserIn({ browser }: CrawlConfig, folder: string): Pick<CrawlConfig, 'browser'> {
  if (typeof browser !== 'object' || browser.program?.includes('/') !== true) return {};
  return { browser: { ...browser, program: resolve(folder, browser.program) } };
}

/** The places of `licensing.tokens` as `file:` with absolute paths. */
function tokensIn({ licensing }: CrawlConfig, folder: string): Pick<CrawlConfig, 'licensing'> {
  if (!Array.isArray(licensing?.tokens)) return {};
  const tokens = licensing.tokens.map((each) => ({ ...each, token: placeIn(each?.token, folder) }));
  return { licensing: { ...licensing, tokens } };
}

/** `identity.signature.key` as `file:` with an absolute path. */
function keyIn({ identity }: CrawlConfig, folder: string): Pick<CrawlConfig, 'identity'> {
  const { signature } = identity ?? {};
  if (signature?.key === undefined) return {};
  return { identity: { ...identity, signature: { ...signature, key: placeIn(signature.key, folder) } } };
}

/** `network.proxy` likewise, where it names a file. */
function proxyIn({ network }: CrawlConfig, folder: string): Pick<CrawlConfig, 'network'> {
  return network?.proxy === undefined ? {} : { network: { ...network, proxy: placeIn(network.proxy, folder) } };
}

/** The places of `signIn` likewise. */
function signInIn({ signIn }: CrawlConfig, folder: string): Pick<CrawlConfig, 'signIn'> {
  if (signIn == null) return {};
  const { basic, bearer, form } = signIn;
  const fields = form?.fields?.map((each) =>
    String(each).replace(/=(file:.+)$/s, (_, at) => `=${placeIn(at, folder)}`),
  );
  return {
    signIn: {
      ...signIn,
      ...(basic === undefined ? {} : { basic: placeIn(basic, folder) }),
      ...(bearer === undefined ? {} : { bearer: placeIn(bearer, folder) }),
      ...(form === undefined || fields === undefined ? {} : { form: { ...form, fields } }),
    },
  };
}

/** The servers of sinks likewise. */
function serversIn(config: CrawlConfig, folder: string): Pick<CrawlConfig, 'postgres' | 'webhook'> {
  const named = (['postgres', 'webhook'] as const).flatMap((name) => {
    const place = config[name];
    return place === undefined ? [] : [[name, placeIn(place, folder)]];
  });
  return Object.fromEntries(named);
}

/** A place as it is, `file:` with an absolute path. */
function placeIn(place: string, folder: string): string {
  const [, path] = /^file:(.+)$/s.exec(String(place)) ?? [];
  return path === undefined ? place : `file:${resolve(folder, path)}`;
}
