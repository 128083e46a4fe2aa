// Handlers from a module: its `handlers` (or default export) is an object of routes or a function.

import { MannerlyError } from '../errors.js';
import type { Handler, HandlerOptions, Route } from '../handle/handlers.js';
import { checkStages, type ItemStage } from '../handle/item-stages.js';
import { UsageError } from './failure.js';
import { errorLocation, loadUserModule } from './user-module.js';

/** Where handlers are registered: a crawler, or a replay. */
export interface HandlerRoutes {
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

/** Registers handlers, synchronously or not. */
export type RegisterHandlers = (routes: HandlerRoutes) => unknown;

/** Loads a file of handlers. @throws UsageError when it cannot be loaded or has no handlers */
export async function loadHandlers(path: string): Promise<RegisterHandlers> {
  const module = await loadUserModule(path);
  const handlers = module['handlers'] ?? module['default'];
  if (typeof handlers === 'function') return (routes) => registerHandlers(path, handlers as RegisterHandlers, routes);
  const entries = typeof handlers === 'object' && handlers !== null ? Object.entries(handlers) : [];
  if (entries.length === 0) {
    const hint = 'Export them as `handlers`: an object of routes, or a function that registers them.';
    throw new UsageError(`${path} exports no handlers`, hint);
  }
  return (routes) => {
    for (const [route, entry] of entries) {
      // In the form that `crawler.route` takes, with schemas.
      if (typeof entry === 'object' && entry !== null && 'handle' in entry) {
        routes.route({ [route]: entry });
        continue;
      }
      const { handler, ...options } = typeof entry === 'object' && entry !== null ? entry : { handler: entry };
      routes.on(route as Route, handler as Handler, options);
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
 *
 * @throws UsageError, MannerlyError
 */
export async function loadStages(path: string): Promise<{ readonly items?: readonly ItemStage[] }> {
  const { items } = await loadUserModule(path);
  return items === undefined ? {} : { items: checkStages(`items of ${path}`, items) };
}
