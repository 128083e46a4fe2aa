// An operation of the HTTP API: one value from which requests are answered and the description is made.

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string | undefined;
  /** `null`: longer than is taken. */
  body(): Promise<string | null>;
}

export interface ApiOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The name of a schema of the description, or a media type. */
  readonly gives: string;
  /** The query parameter that it needs, and what it is. */
  readonly query?: { readonly name: string; readonly means: string };
  /** The name of the schema of its body. */
  readonly takes?: string;
  readonly answer: (call: ApiCall) => Promise<unknown> | unknown;
}
