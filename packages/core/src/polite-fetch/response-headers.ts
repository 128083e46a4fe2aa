// Header lines as the platform has them.

import type { HeaderLines } from '../fetch/outcome.js';

/** Lines that the platform cannot hold are left out: other people's bytes never throw. */
export function headersOf(lines: HeaderLines): Headers {
  const headers = new Headers();
  for (const [name, value] of lines) {
    try {
      headers.append(name, value);
    } catch {
      // A name or a value with characters that no field may have.
    }
  }
  return headers;
}
