// Fields in file order → records: where one ends and the next begins, and which fields are typed (data-txt §4). Records
// under the same User-agent lines share a block.

import { readUrl } from '../web-url.js';
import type { DataRecord, Dataset } from './document.js';

/** One field line. */
export interface DataField {
  /** As written. */
  readonly name: string;
  readonly value: string;
  /** The line starts with a list marker. */
  readonly isListItem: boolean;
}

/** Collects records. */
export interface RecordBuilder {
  /** A field, with its line number. */
  add(field: DataField, line: number): void;
  /** A blank line: ends a record that has more than agents. */
  blank(): void;
  /** The end of a record in any case; hands out all records so far. */
  end(): readonly DataRecord[];
}

type Typed = 'path' | 'name' | 'description' | 'license' | 'type';

/** Recognised names, in lower case (DECISION T6). */
const TYPED: Readonly<Record<string, Typed>> = {
  path: 'path',
  url: 'path',
  dataset: 'path',
  name: 'name',
  title: 'name',
  description: 'description',
  license: 'license',
  licence: 'license',
  type: 'type',
  format: 'type',
};

/** A record that may still grow; `line` is 0 while it has nothing but agents. */
interface OpenRecord {
  readonly agents: string[];
  readonly rules: (readonly ['allow' | 'disallow', string])[];
  readonly ruleLines: number[];
  readonly typed: Partial<Record<Typed, string>>;
  readonly extra: (readonly [string, string])[];
  readonly block: number;
  line: number;
  url: string | undefined;
}

/**
 * An empty collection (data-txt §4, DECISIONS T4 to T6).
 * @param base - What paths are resolved against, if anything.
 * @param report - Told of every path that does not resolve.
 */
export function createRecordBuilder(
  base: string | undefined,
  report: (code: 'data-path-invalid', line: number) => void,
): RecordBuilder {
  const records: DataRecord[] = [];
  let open = emptyRecord([], 0);
  const close = () => {
    if (open.line > 0) records.push(finished(open));
    open = emptyRecord([], open.block + 1);
  };
  const split = () => {
    // What follows agents alone belongs to them.
    if (open.line === 0) return;
    records.push(finished(open));
    open = emptyRecord(open.agents, open.block);
  };
  return {
    add({ name, value, isListItem }, line) {
      const lower = name.toLowerCase();
      if (lower === 'user-agent') {
        if (open.line > 0) close();
        open.agents.push(value);
        return;
      }
      const typed = Object.hasOwn(TYPED, lower) ? TYPED[lower] : undefined;
      if (isListItem || (typed === 'path' && open.typed.path !== undefined)) split();
      if (open.line === 0) open.line = line;
      if (lower === 'allow' || lower === 'disallow') {
        open.rules.push([lower, value]);
        open.ruleLines.push(line);
      } else if (typed === undefined || open.typed[typed] !== undefined) open.extra.push([name, value]);
      else {
        open.typed[typed] = value;
        if (typed !== 'path') return;
        open.url = resolvePath(value, base);
        if (open.url === undefined) report('data-path-invalid', line);
      }
    },
    blank() {
      if (open.line > 0) close();
    },
    end() {
      close();
      return records;
    },
  };
}

function emptyRecord(agents: readonly string[], block: number): OpenRecord {
  return { agents: [...agents], rules: [], ruleLines: [], typed: {}, extra: [], block, line: 0, url: undefined };
}

function finished({ agents, rules, ruleLines, typed, extra, block, line, url }: OpenRecord): DataRecord {
  const dataset: Dataset = url === undefined ? typed : { ...typed, url };
  return { agents, rules, dataset: Object.keys(dataset).length === 0 ? null : dataset, extra, line, ruleLines, block };
}

function resolvePath(path: string, base: string | undefined): string | undefined {
  const url = readUrl(path, base);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
