// A stack trace in the lines of the sources, by the maps next to what is published: its files are bundles. Maps are
// read when an error is reported: they are larger than the bundle, and a start would pay for them.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { ownFile } from '../own-package.js';

/** The trace with every place of this package as a place in its sources, where a map says which. Never throws. */
export function sourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | null>();
  const own = ownFile('dist/').href;
  return stack.replace(/(file:[^\s()]+\.js):(\d+):(\d+)/g, (place, url: string, line: string, column: string) => {
    if (!url.startsWith(own)) return place;
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const source = new URL(entry.originalSource, url).href;
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    // Removed, or of another version.
    return null;
  }
}
