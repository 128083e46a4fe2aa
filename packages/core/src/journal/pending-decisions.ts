// Decisions that another link may still revoke: a nofollow link that a second page links openly, a URL that is too deep
// by one path only. They are reported at the end of the run. Meanwhile a file of the crawl directory keeps them: those
// of a killed run are reported at the end of the next one.

import { renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { partialName } from '../directory/atomic-file.js';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/crawl-paths.js';
import { isPartLocked } from '../directory/directory-lock.js';
import { readValues } from '../directory/read-lines.js';
import { isObject } from '../parse-json.js';
import type { UrlDecision } from '../report/decision.js';
import { LineLog } from '../report/line-log.js';
import { isDecision } from '../report/read-logs.js';
import { MAX_PENDING_DECISIONS, MAX_PENDING_LINES } from './limits.js';

/** A line of the file: a decision is pending, or the one about this URL no longer is. */
type Line = { readonly pending: UrlDecision } | { readonly over: string };

/** The pending decisions of one run, the oldest first. Methods throw MannerlyError `log-failed`. */
export class PendingDecisions {
  readonly #decisions = new Map<string, UrlDecision>();
  readonly #path: string | null;
  #log: LineLog<Line> | null;
  /** Lines of the file, without those of an earlier run. */
  #lines = 0;
  #isEnding = false;

  private constructor(path: string | null) {
    this.#path = path;
    this.#log = path === null ? null : new LineLog(path);
  }

  /**
   * Takes over what killed processes left, including those that shared the directory.
   * @param directory - `null`: the crawl ends with its process, and nothing is kept.
   * @throws The platform's error when a file cannot be read; MannerlyError `log-failed`.
   */
  static async open(directory: CrawlDirectory | null): Promise<PendingDecisions> {
    if (directory === null) return new PendingDecisions(null);
    const opened = new PendingDecisions(directory.pendingPath);
    for (const { pendingPath, part } of await partsOf(directory.path)) {
      if (part === directory.part) {
        for (const decision of await readPending(pendingPath)) opened.#decisions.set(decision.url, decision);
      } else if (!(await isPartLocked(directory.path, part))) {
        const decisions = await readPending(pendingPath);
        // The file stays for a run that has space for it.
        if (opened.#decisions.size + decisions.length > MAX_PENDING_DECISIONS) continue;
        for (const decision of decisions) opened.add(decision);
        opened.#log?.flush();
        await rm(pendingPath, { force: true });
      }
    }
    return opened;
  }

  has(url: string): boolean {
    return this.#decisions.has(url);
  }

  /** Keeps the first decision about a URL. @returns The oldest decision if there are now too many, else `null`. */
  add(decision: UrlDecision): UrlDecision | null {
    if (this.has(decision.url)) return null;
    this.#decisions.set(decision.url, decision);
    this.#append({ pending: decision });
    if (this.#decisions.size <= MAX_PENDING_DECISIONS) return null;
    const [oldest] = this.#decisions.values();
    return oldest ?? null;
  }

  /** The decision about the URL, if any, is no longer pending. */
  delete(url: string): void {
    if (this.#decisions.delete(url) && !this.#isEnding) this.#append({ over: url });
  }

  /** To be reported and deleted one by one; the file is removed when all are, or the next run reports them again. */
  end(): UrlDecision[] {
    this.#isEnding = true;
    return [...this.#decisions.values()];
  }

  /** Removes the file if no decision is left. */
  async close(): Promise<void> {
    this.#log?.close();
    if (this.#path !== null && this.#decisions.size === 0) await rm(this.#path, { force: true });
  }

  #append(line: Line): void {
    this.#log?.append(line);
    this.#lines += 1;
    if (this.#lines > MAX_PENDING_LINES) this.#rewrite();
  }

  /** A long run adds many lines, most of them obsolete. */
  #rewrite(): void {
    this.#lines = this.#decisions.size;
    if (this.#path === null) return;
    const partial = partialName(this.#path);
    const rewritten = new LineLog<Line>(partial);
    for (const pending of this.#decisions.values()) rewritten.append({ pending });
    rewritten.close();
    this.#log?.close();
    renameSync(partial, this.#path);
    this.#log = new LineLog(this.#path);
  }
}

/** The pending decisions in the file of one process; an absent file has none. */
async function readPending(path: string): Promise<UrlDecision[]> {
  const decisions = new Map<string, UrlDecision>();
  for await (const line of readValues(path, isLine)) {
    if ('over' in line) decisions.delete(line.over);
    // One more than the limit, until the line that says that the oldest one is over.
    else if (decisions.size <= MAX_PENDING_DECISIONS) decisions.set(line.pending.url, line.pending);
  }
  return [...decisions.values()];
}

function isLine(value: unknown): value is Line {
  return isObject(value) && (typeof value['over'] === 'string' || isDecision(value['pending']));
}
