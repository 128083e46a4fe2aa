// Modules of the user: loads a configuration or handlers, and says what to do if that fails. Handlers are an object of
// routes, or a function that registers them.

import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MannerlyError } from '../errors.js';
import type { Handler, HandlerOptions, Route } from '../handle/handlers.js';
import { checkStages, type ItemStage } from '../handle/item-stages.js';
import { isObject } from '../parse-json.js';
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

/** Where handlers are registered: a crawler, or a replay. */
interface HandlerRoutes {
  on(route: Route, handler: Handler, options?: HandlerOptions): unknown;
  route(routes: object): unknown;
}

/** The default of a crawl from the command line: every HTML page is an item, and its links are followed. */
export function registerDefault(routes: HandlerRoutes): void {
  routes.on('html', async (page) => {
    await page.emit({ url: page.url, title: page.title, status: page.status, depth: page.depth });
    await page.follow();
  });
}

export type RegisterHandlers = (routes: HandlerRoutes) => unknown;

/** Loads a file of handlers. @throws UsageError when it cannot be loaded or has no handlers */
export async function loadHandlers(path: string): Promise<RegisterHandlers> {
  const module = await loadUserModule(path);
  const handlers = module['handlers'] ?? module['default'];
  if (typeof handlers === 'function') return (routes) => registerHandlers(path, handlers as RegisterHandlers, routes);
  const entries = isObject(handlers) ? Object.entries(handlers) : [];
  if (entries.length === 0) {
    const hint = 'Export them as `handlers`: an object of routes, or a function that registers them.';
    throw new UsageError(`${path} exports no handlers`, hint);
  }
  return (routes) => {
    for (const [route, entry] of entries) {
      const { handler, ...options } = isObject(entry) ? entry : { handler: entry };
      // With `handle` it has the form that `crawler.route` takes, with schemas.
      if ('handle' in options) routes.route({ [route]: entry });
      else routes.on(route as Route, handler as Handler, options);
    }
  };
}

/** Calls a function that registers handlers. If it is a handler by mistake, it gets the crawler as its page. */
async function registerHandlers(path: string, register: RegisterHandlers, routes: HandlerRoutes): Promise<void> {
  try {
    await register(routes);
  } catch (error) {
    if (error instanceof MannerlyError) throw error;
    const hint =
      'It gets the crawler and registers handlers, and no page: ' +
      "export function handlers(crawler) { crawler.on('html', async (page) => { … }) }";
    throw new UsageError(`\`handlers\` of ${path} threw ${String(error)}${errorLocation(error)}`, hint);
  }
}

/**
 * The stages that a file of handlers exports as `items`, as an option; empty if it exports none.
 * @throws UsageError, MannerlyError
 */
export async function loadStages(path: string): Promise<{ readonly items?: readonly ItemStage[] }> {
  const { items } = await loadUserModule(path);
  return items === undefined ? {} : { items: checkStages(`items of ${path}`, items) };
}

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
function errorLocation(error: unknown): string {
  const place = error instanceof Error ? /file:\/\/\S+?:\d+(?::\d+)?/.exec(error.stack ?? '')?.[0] : undefined;
  return place === undefined ? '' : ` (at ${place})`;
}
