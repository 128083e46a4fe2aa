// The type of what a handler may emit.

import type { JsonValue } from '@mannerly/frontier';

/**
 * `T` where JSON.stringify takes it: interfaces, optional fields and values with `toJSON`, such as `Date`, included.
 * Functions, symbols and bigints become `never` and do not compile.
 */
type Jsonable<T> = unknown extends T
  ? T
  : T extends JsonValue | undefined
    ? T
    : T extends bigint | symbol | ((...args: never) => unknown)
      ? never
      : T extends { toJSON(key?: string): infer Json }
        ? [Jsonable<Json>] extends [never]
          ? never
          : T
        : { readonly [Key in keyof T]: Jsonable<T[Key]> };

/** What `page.emit` takes: anything that JSON.stringify writes, so not `undefined` itself. */
export type JsonItem<T> = T extends undefined ? never : Jsonable<T>;
