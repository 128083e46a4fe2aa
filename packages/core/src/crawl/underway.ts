// What is being asked at this moment: a list beside the door, from the time a request may leave to its last byte. It only
// watches; the door answers the same with and without it.

import type { Egress, EgressRequest } from '../fetch/egress.js';

/** A request that has left and is not over. */
export interface RequestUnderway {
  readonly url: string;
  readonly host: string;
  readonly purpose: EgressRequest['purpose'];
  /** When it left, epoch milliseconds. */
  readonly sinceMs: number;
}

/** The list. */
export interface Underway {
  /** Requests under way, those that left first at the front, at most `limit`. */
  list(limit: number): RequestUnderway[];
  count(): number;
}

/** A door that is watched, and what is seen of it. @throws Never */
export function watchUnderway(
  egress: Egress,
  nowMs: () => number,
): { readonly egress: Egress; readonly underway: Underway } {
  // As long as the requests in flight, which `network.concurrency` bounds.
  const open = new Set<RequestUnderway>();
  return {
    egress: {
      async send(request) {
        const { url, host, purpose, mayStart } = request;
        let entry: RequestUnderway | null = null;
        try {
          return await egress.send({
            ...request,
            mayStart() {
              const answer = mayStart();
              if (answer.kind === 'go') {
                entry = { url, host, purpose, sinceMs: nowMs() };
                open.add(entry);
              }
              return answer;
            },
          });
        } finally {
          if (entry !== null) open.delete(entry);
        }
      },
      close: () => egress.close(),
    },
    underway: {
      list(limit) {
        const listed: RequestUnderway[] = [];
        for (const entry of open) {
          if (listed.length >= limit) break;
          listed.push(entry);
        }
        return listed;
      },
      count: () => open.size,
    },
  };
}
