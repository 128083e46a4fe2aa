// A message whose components a signature covers, and its fields (RFC 9421 section 2.1). It is a file of its own, since
// it is public, and the declarations of `signature-base.ts` need those of a library.

/** For a response `method` and `url` are those of its request. */
export interface SignedMessage {
  readonly method: string;
  readonly url: string;
  /** In the order of arrival. A field may have several values, as in `Object.entries(request.headers)` of Node.js. */
  readonly headers: readonly (readonly [name: string, value: string | readonly string[] | undefined])[];
  /** A response: its derived components are those of the request, and need `;req`. @default false */
  readonly isResponse?: boolean;
}

/** The value of a header field in the form that is signed: lines trimmed and joined. `null` if the field is absent. */
export function fieldValue(message: SignedMessage, name: string): string | null {
  const lines = message.headers.flatMap(([each, value = []]) => (each.toLowerCase() === name ? value : []));
  return lines.length === 0 ? null : lines.map((value) => value.trim()).join(', ');
}
