// The egress with a list of the requests that have left and are not over. It only watches: answers are the same without
// it.

import type { Egress, EgressRequest } from '../fetch/egress.js';
import type { EgressOutcome } from '../fetch/outcome.js';

/** A request that has left and is not over. */
export interface RequestUnderway {
  readonly url: string;
  readonly host: string;
  readonly purpose: EgressRequest['purpose'];
  /** When it left, epoch milliseconds. */
  readonly sinceMs: number;
}

/** An egress that can list its requests under way. */
export class WatchedEgress implements Egress {
  readonly #egress: Egress;
  readonly #nowMs: () => number;
  /** At most `network.concurrency` of them. */
  readonly #underway = new Set<RequestUnderway>();

  constructor(egress: Egress, nowMs: () => number) {
    this.#egress = egress;
    this.#nowMs = nowMs;
  }

  async send(request: EgressRequest): Promise<EgressOutcome> {
    const { url, host, purpose, mayStart } = request;
    let entry: RequestUnderway | null = null;
    try {
      return await this.#egress.send({
        ...request,
        mayStart: () => {
          const answer = mayStart();
          if (answer.kind === 'go') {
            entry = { url, host, purpose, sinceMs: this.#nowMs() };
            this.#underway.add(entry);
          }
          return answer;
        },
      });
    } finally {
      if (entry !== null) this.#underway.delete(entry);
    }
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** Requests under way, the oldest first, at most `limit`. */
  list(limit: number): RequestUnderway[] {
    return [...this.#underway].slice(0, limit);
  }

  count(): number {
    return this.#underway.size;
  }
}
