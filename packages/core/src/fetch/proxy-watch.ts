// A proxy that does not answer is broken machinery: its requests wait, the operator is told, and the run stops when it
// stays away. No site is to blame, and none is asked by another way.

import { PROXY_DOWN_MS } from './limits.js';

/** What a watch tells. */
export interface ProxyNotices {
  readonly nowMs: () => number;
  /** Called when it begins to fail. */
  readonly tell: (url: string, detail: string) => void;
  /** Stops the run. @param reason - For people. */
  readonly stop: (reason: string) => void;
}

/** Watches the proxy of one run. */
export class ProxyWatch {
  readonly #notices: ProxyNotices;
  /** `null`: it answered last. */
  #downSinceMs: number | null = null;

  constructor(notices: ProxyNotices) {
    this.#notices = notices;
  }

  /** A request could not be made. */
  down(url: string, detail: string): void {
    const { nowMs, tell, stop } = this.#notices;
    if (this.#downSinceMs === null) {
      this.#downSinceMs = nowMs();
      tell(url, `${detail}; requests wait, and the run stops after ${PROXY_DOWN_MS / 60_000} minutes`);
    } else if (nowMs() - this.#downSinceMs >= PROXY_DOWN_MS) {
      stop(`proxy-down: ${detail}`);
    }
  }

  /** A request was made. */
  up(): void {
    this.#downSinceMs = null;
  }
}
