// Routes as one object, each with its handler and optional schemas of its user data and items. The types say which
// labels exist, which user data each requires, and what a page of each route is.

import type { JsonValue } from '@mannerly/frontier';
import type { CheerioAPI } from 'cheerio';
import { formatValue, MannerlyError } from '../errors.js';
import type { ContentKind } from '../page/content-kind.js';
import type { HtmlSummary } from '../page/html.js';
import { isObject } from '../parse-json.js';
import type { AddResult, FollowOptions, HandledPage, JsonItem } from './handled-page.js';
import type { Handler, HandlerOptions, Handlers, Route } from './handlers.js';
import type { Schema } from './schema.js';
import type { EmittedItem } from './staged.js';

export type SchemaInput<S> = S extends Schema<infer Input, infer _Output> ? Input : never;

export type SchemaOutput<S> = S extends Schema<infer _Input, infer Output> ? Output : never;

/** The schemas of user data by the labels of their routes; `unknown`: there is none. */
type Labels<UserData> = {
  [R in keyof UserData as R extends `label:${infer Label}` ? Label : never]: UserData[R];
};

/** User data is required where the schema of the route requires it. */
type UserDataOption<UserData, Given> =
  UserData extends Schema<infer Input, infer _Output>
    ? undefined extends Input
      ? { readonly userData?: Input }
      : { readonly userData: Input }
    : { readonly userData?: Given };

/** Options for URLs with a label. */
type LabelledFollow<UserData, Given, Never extends keyof FollowOptions = 'label'> = {
  [Label in keyof Labels<UserData>]: Omit<FollowOptions, 'label' | 'userData' | Never> & {
    readonly label: Label;
  } & UserDataOption<Labels<UserData>[Label], Given>;
}[keyof Labels<UserData>];

/** Labels whose routes take any user data, like URLs without a label. None: the message of the compiler. */
type PlainLabel<UserData> = [keyof Labels<UserData>] extends [never]
  ? 'this object has no route for a label'
  : {
      [Label in keyof Labels<UserData>]: Labels<UserData>[Label] extends Schema ? never : Label;
    }[keyof Labels<UserData>];

/**
 * Options for URLs: without a label anything, with a label what its route takes. Other labels do not compile.
 * `Given`: the user data of a call, where no schema says what it has to be.
 */
export type RoutedFollow<UserData, Given = JsonValue> =
  | (Omit<FollowOptions<Given>, 'label'> & { readonly label?: PlainLabel<UserData> })
  | LabelledFollow<UserData, Given>;

/** Options for one more visit: without a label, the page's own label and what its route takes. */
export type RoutedRevisit<UserDataSchema, UserData, Given = JsonValue> =
  | (Omit<FollowOptions, 'allowDuplicate' | 'depth' | 'userData'> & {
      readonly label?: undefined;
      readonly userData?: UserDataSchema extends Schema ? SchemaInput<UserDataSchema> : Given;
    })
  | LabelledFollow<UserData, Given, 'allowDuplicate' | 'depth'>;

/** What is known about a page because it came by this route. */
type PageOf<R> = R extends `label:${infer Label}`
  ? { readonly label: Label }
  : R extends 'html'
    ? { readonly kind: 'html'; readonly html: HtmlSummary }
    : R extends 'xml'
      ? { readonly kind: 'xml'; readonly title: null; readonly html: null; readonly $: CheerioAPI }
      : R extends ContentKind
        ? { readonly kind: R; readonly title: null; readonly html: null; readonly $: never }
        : R extends `${string}/${string}`
          ? { readonly mime: Lowercase<R> }
          : unknown;

/** A page in the handler of its route: `HandledPage`, with the types of the route. */
export type RoutedPage<R, UserDataSchema, ItemSchema, UserData> = Omit<
  HandledPage,
  'userData' | 'emit' | 'follow' | 'add' | 'revisit' | keyof PageOf<R>
> &
  PageOf<R> & {
    /** The user data of the URL, as the schema of the route returns it, or unchanged without a schema. */
    readonly userData: UserDataSchema extends Schema ? SchemaOutput<UserDataSchema> : JsonValue | null;
    /** As `HandledPage.emit`, for items that the schema of the route accepts. */
    emit: ItemSchema extends Schema
      ? (data: SchemaInput<ItemSchema>) => Promise<EmittedItem>
      : <T>(data: T & JsonItem<T>) => Promise<EmittedItem>;
    /** As `HandledPage.follow`. */
    follow<T>(selector?: string, options?: RoutedFollow<UserData, T & JsonItem<T>>): Promise<number>;
    /** As `HandledPage.add`. */
    add<T>(url: string, options?: RoutedFollow<UserData, T & JsonItem<T>>): Promise<AddResult>;
    /** As `HandledPage.revisit`. */
    revisit<T>(afterMs: number, options?: RoutedRevisit<UserDataSchema, UserData, T & JsonItem<T>>): Promise<void>;
  };

type HandlerOf<R, UserData, Items, Names extends string> = (
  page: RoutedPage<
    R,
    R extends keyof UserData ? UserData[R] : unknown,
    R extends keyof Items ? Items[R] : unknown,
    UserDataOf<Names, UserData>
  >,
) => unknown;

/** Refuses an inferred type that is not a schema. If nothing was given, nothing was inferred. */
type SchemaOrNone<S> = unknown extends S ? S : S extends Schema ? S : Schema;

type EntryOf<R, UserData, Items, Names extends string> = HandlerOptions & {
  /** The schema of the user data of its URLs. A page whose user data does not match fails as `user-data-invalid`. */
  readonly userData?: R extends keyof UserData ? SchemaOrNone<UserData[R]> : undefined;
  /** The schema of its items. An item that does not match goes to `rejected.jsonl`. */
  readonly item?: R extends keyof Items ? SchemaOrNone<Items[R]> : undefined;
  readonly handle: HandlerOf<R, UserData, Items, Names>;
};

/**
 * The schemas of user data of all routes. The names of routes are inferred separately: if no route has a schema, the
 * compiler infers the schemas route by route.
 */
type UserDataOf<Names extends string, UserData> = {
  [R in Names]: R extends keyof UserData ? UserData[R] : unknown;
};

type NoRoute = 'no route: expected a content kind, a media type, any, label:… or status:…';

/**
 * Routes in one object: content kind, media type, `any` or `label:<label>` to a handler, or to a handler with its
 * schemas. The types of user data and items come from the schemas.
 */
export type Routes<UserData, Items, Names extends string> = { readonly [R in Names]: unknown } & {
  readonly [R in keyof UserData]: R extends Route
    ? HandlerOf<R, UserData, Items, Names> | (EntryOf<R, UserData, Items, Names> & { readonly userData?: UserData[R] })
    : NoRoute;
} & {
  readonly [R in keyof Items]: R extends Route
    ? HandlerOf<R, UserData, Items, Names> | (EntryOf<R, UserData, Items, Names> & { readonly item?: Items[R] })
    : NoRoute;
};

/** @throws MannerlyError `route-invalid`, `option-invalid`, `option-unknown`. */
export function registerRoutes(handlers: Pick<Handlers, 'on'>, routes: object): void {
  if (!isObject(routes)) {
    throw new MannerlyError('route-invalid', `expected routes to be an object, got ${String(routes)}`);
  }
  for (const [route, given] of Object.entries(routes) as [Route, unknown][]) {
    const entry: unknown = typeof given === 'function' ? { handle: given } : given;
    if (!isObject(entry) || !('handle' in entry)) {
      const got = isObject(entry) ? `one with ${Object.keys(entry).join(', ') || 'nothing'}` : formatValue(entry);
      const message = `expected \`${route}\` to be a handler, or an object with \`handle\`, got ${got}`;
      throw new MannerlyError('route-invalid', message);
    }
    const { handle, ...options } = entry as { readonly handle: Handler };
    // Called as a method of its entry, if it is a function; if not, the registry reports it.
    handlers.on(route, typeof handle === 'function' ? handle.bind(given) : handle, options);
  }
}
