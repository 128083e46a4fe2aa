// Reads the tables of a documentation page into cells. Pure.

/** A row: the code words of its first cell, and all cells as text. */
export interface Row {
  readonly words: readonly string[];
  readonly cells: readonly string[];
}

/**
 * The rows of all tables below a heading, up to the next heading of its level or above; without a heading, of the whole
 * page.
 */
export function rowsUnder(page: string, heading: string | null): Row[] {
  const lines = page.replace(/```[\s\S]*?```/g, '').split('\n');
  const start = heading === null ? 0 : lines.indexOf(heading) + 1;
  if (heading !== null && start === 0) throw new Error(`no heading ${heading}`);
  const rank = /^#+/.exec(heading ?? '')?.[0].length ?? 0;
  const end = lines.findIndex((line, index) => index >= start && /^#+ /.test(line) && line.indexOf(' ') <= rank);
  return lines
    .slice(start, end === -1 ? undefined : end)
    .filter((line, index, all) => line.startsWith('|') && !isRule(line) && !isRule(all[index + 1] ?? ''))
    .map(rowOf);
}

/** The sections below a heading whose own heading is one code word, as rows: the word, and the text up to the next. */
export function definitionsUnder(page: string, heading: string): Row[] {
  const [, rest] = page.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`no heading ${heading}`);
  const [section = ''] = rest.split(/^## /m);
  return [...section.matchAll(/^### `(.+)`\n([^#]*)/gm)].map(([, word = '', text = '']) => ({
    words: [word],
    cells: [word, text.trim()],
  }));
}

/**
 * The differences between the values of the code and the rows of a table: missing, unknown, duplicate and empty ones.
 */
export function wordFaults(words: readonly string[], rows: readonly Row[]): string[] {
  const listed = rows.flatMap((row) => row.words.slice(0, 1));
  return [
    ...words.filter((word) => !listed.includes(word)).map((word) => `${word} is missing`),
    ...listed.filter((word) => !words.includes(word)).map((word) => `${word} is no word of the code`),
    ...listed.filter((word, index) => listed.indexOf(word) !== index).map((word) => `${word} stands there twice`),
    ...rows.filter(({ cells }) => (cells[1] ?? '') === '').map(({ words: [word] }) => `nothing is said of ${word}`),
  ];
}

function isRule(line: string): boolean {
  return /^\|[-:| ]+\|$/.test(line);
}

function rowOf(line: string): Row {
  const cells = line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
  return { words: [...(cells[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word), cells };
}
