// What the store asks of the pool it is handed: a `Pool` of pg has it. The package itself is not imported.

/** One statement: prepared under its name, answers as text in lists. */
export interface PostgresQuery {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  readonly rowMode: 'array';
  readonly types: { readonly getTypeParser: () => (value: unknown) => unknown };
}

/** A pool of pg, made and closed by the caller. */
export interface PostgresPool {
  /** Whether `end` was called. */
  readonly ended: boolean;
  query(query: PostgresQuery): Promise<{ readonly rows: unknown[] }>;
  /** `error`: an idle connection broke. Without a listener that ends the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}
