// Work of the platform that ends by itself and takes no virtual time: turns of the loop, files, names, connections.

import { createHook } from 'node:async_hooks';

const LISTED = /^(?:Immediate|FSReq|CloseReq|FileHandleCloseReq|GetAddrInfo|TCPConnect|PipeConnect)/;
/** Node.js 26 no longer lists most requests for files. Hooks see them, but make every promise slower. */
const HIDES_FILES = Number.parseInt(process.versions.node, 10) >= 26;
const OF_FILES = /^(?:FSREQ|FILEHANDLECLOSEREQ)/;

/** Counts work in progress, until `end`. */
export class RealWork {
  /** Requests for files, by the platform's ids. */
  readonly #files = new Set<number>();
  readonly #hook = createHook({
    init: (id, type) => void (OF_FILES.test(type) && this.#files.add(id)),
    after: (id) => void this.#files.delete(id),
    destroy: (id) => void this.#files.delete(id),
  });

  constructor() {
    if (HIDES_FILES) this.#hook.enable();
  }

  count(): number {
    return this.#files.size + process.getActiveResourcesInfo().filter((name) => LISTED.test(name)).length;
  }

  end(): void {
    this.#hook.disable();
  }
}
