// Objects without absent members: an omitted option differs from one that is `undefined`.

/** The members that have a value: neither `undefined` nor `null`. @throws Never */
export function present<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as T & object;
}
