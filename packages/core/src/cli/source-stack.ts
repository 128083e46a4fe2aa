// Translates a stack trace to lines of the sources, by the maps next to the published bundles. Maps are read only when
// an error is reported: they are larger than the bundle and would slow down every start.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { ownFile } from '../own-package.js';

/** The trace with every place of this package as a place in its sources, if a map names one. Never throws. */
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
    // The map was removed, or belongs to another version.
    return null;
  }
}
