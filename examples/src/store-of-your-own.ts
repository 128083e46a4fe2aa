// A store on anything that can append and read back, here a file. Calls run in memory and are appended; `open` runs
// them again at their original times, with the same result. For one process and about ten thousand pages; for more see
// docs/stores.md.

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { FrontierError, type FrontierStore, memoryStore, type OpenRequest } from '@mannerly/frontier';

type Verb = (...given: readonly unknown[]) => Promise<unknown>;
type Line = readonly [name: string, atMs: number, given: readonly unknown[]];
const CHANGING: readonly string[] = ['add', 'lease', 'wake', 'commit', 'writeRecord', 'know'];

/** The guarantees of the memory store, and that a killed process loses nothing that was answered. */
export const JOURNAL_CAPABILITIES = { ...memoryStore().capabilities, durable: 'process' } as const;

/** A store in that file. @param wallMs - Must continue across restarts, so that a delay survives the process. */
export function journalStore(path: string, wallMs: () => number = Date.now): FrontierStore {
  let at = 0;
  let isOpen = false;
  const memory = memoryStore({ nowMs: () => at });
  const run = (name: string, given: readonly unknown[]) => (memory[name as 'add'] as Verb).apply(memory, [...given]);
  const textOf = (value: unknown) => `${serialize(value).toString('base64')}\n`;

  const open = async (request: OpenRequest) => {
    // A kill cut off bytes after the last line; they had not been answered.
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    const [crawl, ...verbs] = lines.map((line) => deserialize(Buffer.from(line, 'base64')));
    if (crawl === undefined ? !request.create : crawl !== request.crawl)
      throw new FrontierError('store-mismatch', `${path} holds no crawl ${request.crawl}`);
    await memory.open({ ...request, create: true });
    for (const [name, then, given] of verbs as Line[]) {
      at = then;
      await run(name, given).catch(() => undefined);
    }
    writeFileSync(`${path}.new`, [request.crawl, ...verbs].map(textOf).join(''));
    renameSync(`${path}.new`, path);
    isOpen = true;
  };
  const verb = async (name: string, given: readonly unknown[]) => {
    at = Math.max(at, wallMs()); // A clock that was set back stands still.
    const answer = run(name, given);
    if (name === 'close') isOpen = false;
    try {
      if (isOpen && CHANGING.includes(name)) appendFileSync(path, textOf([name, at, given]));
    } catch (cause) {
      await Promise.allSettled([answer, memory.close()]); // Memory has more than the file: the store must not continue.
      throw new FrontierError('store-failed', `cannot write to ${path}`, { cause });
    }
    return answer;
  };
  return new Proxy(memory, {
    get: (_, name) => {
      if (name === 'capabilities') return JOURNAL_CAPABILITIES;
      if (name === 'open') return open;
      return name in memory ? (...given: unknown[]) => verb(String(name), given) : undefined;
    },
  });
}
