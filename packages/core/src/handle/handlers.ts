// The handlers of a crawler, by route. Each page goes to one handler: that of the most specific route.

import { checkCount, checkOptions } from '../call-options.js';
import { invalidOption, MannerlyError } from '../errors.js';
import type { BrowserSteps } from '../fetch/renderer.js';
import { CONTENT_KINDS, type ContentKind, possibleKinds, typeByExtension } from '../page/content-kind.js';
import type { FetchedPage } from '../page/page.js';
import type { HandledPage, UnchangedHandler } from './handled-page.js';
import { MAX_LARGE_BODY_BYTES, MAX_SELECTORS, MAX_UNROUTED_LABELS } from './limits.js';
import { isSchema, type Schema } from './schema.js';

/** A response that is not a page, by its status: `status:404`, `status:4xx`. */
export type StatusRoute = `status:${number}` | 'status:3xx' | 'status:4xx' | 'status:5xx';

/** What selects a page's handler: label, media type, kind or `any`; for a response that is not a page, its status. */
export type Route = `label:${string}` | `${string}/${string}` | ContentKind | 'any' | StatusRoute;

/** Your code for one page. What it emits and follows counts only if it succeeds: not if it throws or times out. */
export type Handler = (page: HandledPage) => unknown;

/** Fields of a login form, by name. */
export type LoginFields = Readonly<Record<string, string>>;

/** Your code for the login page of `signIn.form`: reads what the form has to send, such as its token. */
export type LoginHandler = (page: FetchedPage) => LoginFields | Promise<LoginFields>;

/** Options of a handler. */
export interface HandlerOptions {
  /**
   * Decoded bytes that the body of a page of this route may have, 1 to 64 GiB. A body of more than 1 MiB is kept in a
   * file until the handler has ended: `page.body` and `page.save` read it; methods that need it in memory refuse. Not
   * for HTML.
   * @default `network.maxBodyBytes`, held in memory
   */
  readonly maxBodyBytes?: number;
  /**
   * Called for an HTML page of this route in the browser, before it is read, archived and handled: to wait for an
   * element, scroll, click or take a screenshot. Not called for a page that no browser opens, nor in a replay, which
   * has the page as it was read then.
   */
  readonly inBrowser?: BrowserSteps;
}

export interface RouteSchemas {
  /** The user data of the URL. A page whose user data does not match is not handled. */
  readonly userData?: Schema | undefined;
  /** Each item. An item that does not match is set aside. */
  readonly item?: Schema | undefined;
}

export interface FoundHandler extends RouteSchemas {
  readonly route: Route | 'default';
  readonly handler: Handler;
  readonly maxBodyBytes: number | null;
  readonly inBrowser: BrowserSteps | null;
}

type RoutedBy = Pick<FetchedPage, 'kind' | 'mime' | 'label'>;

const DEFAULT_HANDLER: FoundHandler = Object.freeze({
  route: 'default',
  handler: (page: HandledPage) => page.follow(),
  maxBodyBytes: null,
  inBrowser: null,
});
const STATUS_ROUTE = /^status:[345](?:xx|\d\d)$/;
const GENERATOR = /Generator/;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

export class Handlers {
  readonly #byRoute = new Map<string, FoundHandler>();
  /** Separate, since they take no page: a crawl with only these still follows links. */
  readonly #byStatus = new Map<string, FoundHandler>();
  /** Routes that have received pages. */
  readonly #usedRoutes = new Set<string>();
  /** Labels without a route of their own, whose pages went to another route. */
  readonly #unroutedLabels = new Set<string>();
  /** Selectors of `page.follow`, and whether any page had a link for them. */
  readonly #selectors = new Map<string, boolean>();
  /** Receives unchanged known pages; `null`: no such handler. */
  unchanged: UnchangedHandler | null = null;
  /** Receives the login page; `null`: no such handler. */
  login: LoginHandler | null = null;

  /** @throws MannerlyError `route-invalid` for an invalid route or one that already has a handler; `option-invalid`. */
  on(route: Route | 'unchanged' | 'login', handler: Handler, options: HandlerOptions & RouteSchemas = {}): void {
    const key = route === 'unchanged' || route === 'login' ? route : routeKey(route);
    checkOptions(route, options, { maxBodyBytes: 'any', inBrowser: 'function', userData: 'any', item: 'any' });
    const isGenerator = GENERATOR.test(Object.prototype.toString.call(handler));
    if (typeof handler !== 'function' || isGenerator) {
      const given = isGenerator ? 'a generator function' : typeof handler;
      const message = `expected the handler of \`${route}\` to be a function, got ${given}`;
      const hint = 'Yielded values are not used: call `await page.emit(item)` and `await page.follow(selector)`.';
      throw new MannerlyError('route-invalid', message, isGenerator ? { hint } : {});
    }
    const registered = STATUS_ROUTE.test(key) ? this.#byStatus : this.#byRoute;
    const isRegistered = key === 'unchanged' || key === 'login' ? this[key] !== null : registered.has(key);
    if (isRegistered) {
      throw new MannerlyError('route-invalid', `the route \`${route}\` already has a handler`, {
        hint: 'A page has one handler: call the second function from the first.',
      });
    }
    if (key === 'unchanged' || key === 'login') {
      Object.assign(this, { [key]: handler });
      return;
    }
    const { maxBodyBytes = null, inBrowser = null, userData, item } = options;
    if (maxBodyBytes !== null) checkCount(`${route}.maxBodyBytes`, maxBodyBytes, MAX_LARGE_BODY_BYTES);
    checkSchema(`${route}.userData`, userData);
    checkSchema(`${route}.item`, item);
    registered.set(key, { route: key as Route, handler, userData, item, maxBodyBytes, inBrowser });
  }

  /**
   * Uses the first of these routes that has a handler: `label:<label>`, the media type, the kind, `any`; `null`: none
   * matches. A crawl without any handler follows every permitted link of its HTML pages.
   */
  find({ kind, mime, label }: RoutedBy): FoundHandler | null {
    const registered = this.#byRoute;
    if (registered.size === 0) return kind === 'html' ? DEFAULT_HANDLER : null;
    const byLabel = label === null ? undefined : registered.get(`label:${label}`);
    const byType = mime === null ? undefined : registered.get(mime);
    return byLabel ?? byType ?? registered.get(kind) ?? registered.get('any') ?? null;
  }

  /** @throws MannerlyError `route-invalid` for handlers that would never be called. */
  checkFor({ hasBrowser, hasForm }: { readonly hasBrowser: boolean; readonly hasForm: boolean }): void {
    const steps = [...this.#byRoute.values()].find(({ inBrowser }) => inBrowser !== null);
    if (steps !== undefined && !hasBrowser) {
      const message = `the route \`${steps.route}\` has \`inBrowser\`, and no browser opens pages`;
      const hint = 'Use a browser: --browser, `browser` in mannerly.config.json, or `fetcher: browserFetcher(…)`.';
      throw new MannerlyError('route-invalid', message, { hint });
    }
    if (this.login !== null && !hasForm) {
      throw new MannerlyError('route-invalid', 'the route `login` has a handler, but no login form is sent', {
        hint: 'Set `signIn.form`. Without a form the handler is never called.',
      });
    }
  }

  /** A route has received a page. */
  recordRoute(route: Route | 'default', label: string | null): void {
    this.#usedRoutes.add(route);
    if (label !== null && !this.#byRoute.has(`label:${label}`) && this.#unroutedLabels.size < MAX_UNROUTED_LABELS)
      this.#unroutedLabels.add(label);
  }

  /** Label routes without pages, and labels without a route: often one of them is misspelt. */
  unusedLabels(): { readonly routes: readonly string[]; readonly unrouted: readonly string[] } {
    const unused = [...this.#byRoute.keys()].filter((route) => !this.#usedRoutes.has(route));
    return { routes: unused.filter((route) => route.startsWith('label:')), unrouted: [...this.#unroutedLabels] };
  }

  /** A handler has followed what a selector finds. */
  recordSelector(selector: string, hasLinks: boolean): void {
    const known = this.#selectors.get(selector);
    if (known !== undefined || this.#selectors.size < MAX_SELECTORS)
      this.#selectors.set(selector, hasLinks || known === true);
  }

  /** Selectors for which no page had a link. Empty if handlers generate selectors. */
  selectorsWithoutLinks(): string[] {
    if (this.#selectors.size >= MAX_SELECTORS) return [];
    return [...this.#selectors.keys()].filter((selector) => this.#selectors.get(selector) === false);
  }

  /** The handler of an answer that is not a page, by `status:404`, then `status:4xx`; `null`: none. */
  findByStatus(status: number): FoundHandler | null {
    const registered = this.#byStatus;
    if (registered.size === 0) return null;
    return registered.get(`status:${status}`) ?? registered.get(`status:${Math.floor(status / 100)}xx`) ?? null;
  }

  /** Whether a handler may get content of a media type, whatever its first bytes say. */
  wants({ mime, label }: Pick<RoutedBy, 'mime' | 'label'>): boolean {
    const kinds = possibleKinds(mime);
    if (kinds === null || kinds.some((kind) => this.find({ kind, mime, label }) !== null)) return true;
    // Judged by its extension alone, it may be any of the types that handlers name.
    const routes = mime?.endsWith('/*') === true ? [...this.#byRoute.keys()] : [];
    return routes.some((route) => MEDIA_TYPE.test(route) && possibleKinds(route) !== null);
  }

  /** Whether a handler may want a link's target, judged by the extension of its URL. `label`: of the link. */
  wantsLink(url: string, label: string | null): boolean {
    const mime = typeByExtension(url);
    return mime === null || this.wants({ mime, label });
  }
}

function checkSchema(option: string, given: unknown): void {
  if (given === undefined || isSchema(given)) return;
  const hint = 'Any library that speaks Standard Schema will do, such as zod, valibot or arktype.';
  throw invalidOption(option, 'a schema', given, hint);
}

/** Media types are compared in lower case, labels as written. */
function routeKey(route: Route): string {
  const key = typeof route === 'string' && !route.startsWith('label:') ? route.toLowerCase() : route;
  const isKnown =
    typeof key === 'string' &&
    (key === 'any' ||
      CONTENT_KINDS.some((kind) => kind === key) ||
      /^label:[\s\S]+$/.test(key) ||
      STATUS_ROUTE.test(key) ||
      MEDIA_TYPE.test(key));
  if (isKnown) return key;
  const byStatus = 'status:<300 to 599>, status:3xx, status:4xx or status:5xx';
  const known = `${CONTENT_KINDS.join(', ')}, any, a media type, label:<label>, ${byStatus}`;
  const hint = String(route).startsWith('status:')
    ? 'Pages, whose status is 2xx, come to the routes of their kind, such as `html`.'
    : `\`label:${String(route)}\` takes the pages that were queued with this label. Events have \`crawler.events.on\`.`;
  throw new MannerlyError('route-invalid', `expected a route to be ${known}, got ${String(route)}`, { hint });
}
