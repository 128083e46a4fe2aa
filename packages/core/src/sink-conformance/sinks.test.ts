// The sinks of this package keep the contract for all sinks, tested with the published suite.

import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '@mannerly/frontier';
import { parse } from 'csv-parse/sync';
import { describe, it } from 'vitest';
import { csvSink } from '../output/csv.js';
import { jsonlSink } from '../output/jsonl.js';
import { memorySink, type Sink } from '../output/sink.js';
import { type KeptItem, type SinkMedium, sinkSuite } from './suite.js';

/** A file of its own for each test. */
async function fileMedium(
  makeSink: (path: string) => Sink,
  itemsOf: (text: string) => readonly KeptItem[],
): Promise<SinkMedium> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-sink-'));
  const path = join(folder, 'items');
  return {
    makeSink: () => makeSink(path),
    read: async () => itemsOf(await readFile(path, 'utf8')),
    tear: async (bytes) => truncate(path, Math.max(0, (await stat(path)).size - bytes)),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

const dateOf = (text: unknown): number | null => (typeof text === 'string' && text !== '' ? Date.parse(text) : null);

function lineItems(text: string): KeptItem[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const {
      id,
      url,
      fetchedAt: _,
      expiresAt,
      preferences = {},
      ...rest
    } = JSON.parse(line) as Record<string, JsonValue>;
    const data = (Object.hasOwn(rest, 'data') ? rest['data'] : rest) ?? null;
    return {
      id: String(id),
      url: String(url),
      data,
      expiresAtMs: dateOf(expiresAt),
      preferences: preferences as KeptItem['preferences'],
    };
  });
}

/** Read by another library than the one that writes. */
function rowItems(text: string): KeptItem[] {
  const rows = parse(text, { columns: true }) as Record<string, string>[];
  return rows.map(({ id = '', url = '', expiresAt, preferences, more }) => ({
    id,
    url,
    data: more ?? null,
    expiresAtMs: dateOf(expiresAt),
    preferences: preferences === undefined || preferences === '' ? {} : JSON.parse(preferences),
  }));
}

describe('jsonlSink', () => {
  sinkSuite({
    test: it,
    makeMedium: () => fileMedium((path) => jsonlSink({ path }), lineItems),
    capabilities: { durable: true, exactData: true },
  });
});

describe('csvSink', () => {
  sinkSuite({
    test: it,
    makeMedium: () => fileMedium((path) => csvSink({ path }), rowItems),
    capabilities: { durable: true, exactData: false },
  });
});

describe('memorySink', () => {
  sinkSuite({
    test: it,
    makeMedium: async () => {
      const sink = memorySink();
      return { makeSink: () => sink, read: async () => sink.items, dispose: async () => undefined };
    },
    capabilities: { durable: false, exactData: true },
  });
});
