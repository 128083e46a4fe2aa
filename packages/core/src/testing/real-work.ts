// Work of the platform that ends by itself and takes no virtual time: turns of the loop, files, names, connections, and
// modules that another thread loads.

import { createHook } from 'node:async_hooks';
import { REAL_LOAD_MS } from './limits.js';

const WORK_RESOURCES = /^(?:Immediate|FSReq|CloseReq|FileHandleCloseReq|GetAddrInfo|TCPConnect|PipeConnect)/;
/** Node.js 26 no longer lists most requests for files. Hooks see them, but make every promise slower. */
const HIDES_FILES = Number.parseInt(process.versions.node, 10) >= 26;
const FILE_RESOURCES = /^(?:FSREQ|FILEHANDLECLOSEREQ)/;
/** Open while a thread answers: with a TypeScript loader such as tsx, a thread resolves every `import()`. */
const PORT = 'MessagePort';
const realNow = performance.now.bind(performance);

/** Counts work in progress, until `end`. */
export class RealWork {
  /** Requests for files, by the platform's ids. */
  readonly #files = new Set<number>();
  /** Ports to threads that are no work: they were open before, or stay open. */
  #idlePorts = portsIn(process.getActiveResourcesInfo());
  /** Since when there are others, by the machine's clock; `null`: there are none. */
  #portsSinceMs: number | null = null;
  readonly #hook = createHook({
    init: (id, type) => void (FILE_RESOURCES.test(type) && this.#files.add(id)),
    after: (id) => void this.#files.delete(id),
    destroy: (id) => void this.#files.delete(id),
  });

  constructor() {
    if (HIDES_FILES) this.#hook.enable();
  }

  count(): number {
    const active = process.getActiveResourcesInfo();
    return (
      this.#files.size + active.filter((name) => WORK_RESOURCES.test(name)).length + this.#busyPorts(portsIn(active))
    );
  }

  #busyPorts(open: number): number {
    if (open > this.#idlePorts) this.#portsSinceMs ??= realNow();
    else this.#portsSinceMs = null;
    const isLong = this.#portsSinceMs !== null && realNow() - this.#portsSinceMs > REAL_LOAD_MS;
    if (isLong || open < this.#idlePorts) this.#idlePorts = open;
    return open - this.#idlePorts;
  }

  end(): void {
    this.#hook.disable();
  }
}

function portsIn(active: readonly string[]): number {
  return active.filter((name) => name === PORT).length;
}
