// The tables of a page of the documentation, as cells. Pure.

/** One row: the words in code marks of its first cell, and all cells as they stand. */
export interface Row {
  readonly words: readonly string[];
  readonly cells: readonly string[];
}

/**
 * The rows of all tables below a heading, up to the next of its rank or a higher one; of the whole page without a
 * heading.
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

/** What the headings of nothing but code define below a heading, as rows: the name, and the text up to the next. */
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
 * What is missing, what is there twice, and what no one says: between the words of the code and the rows of a table.
 */
export function wordFaults(words: readonly string[], rows: readonly Row[]): string[] {
  const said = rows.flatMap((row) => row.words.slice(0, 1));
  return [
    ...words.filter((word) => !said.includes(word)).map((word) => `${word} is missing`),
    ...said.filter((word) => !words.includes(word)).map((word) => `${word} is no word of the code`),
    ...said.filter((word, index) => said.indexOf(word) !== index).map((word) => `${word} stands there twice`),
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
