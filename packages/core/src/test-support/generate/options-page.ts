// The tables of options in the reference and in the README of the package.

import { placedRows, type Section } from '../../options/table.js';
import { defaultOf, rangeOf, sentenceOf } from './option-text.js';

/** The sections of docs/reference/options.md. */
export function optionSections(sections: readonly Section[]): string {
  return sections.map(section).join('\n\n');
}

function section({ title, rows }: Section): string {
  const all = placedRows(rows);
  const groups = all.filter(({ row }) => row.shape.kind === 'group' && Object.values(rows).includes(row));
  const intro = groups.map(({ row }) => row.does).join('\n\n');
  const lines = all
    .filter(({ row }) => row.shape.kind !== 'group')
    .map(({ path, row }) => `| \`${path}\` | ${rangeOf(row.shape)} | ${defaultOf(row)} | ${sentenceOf(row)} |`);
  return [
    `## ${title}`,
    ...(intro === '' ? [] : ['', intro]),
    '',
    '| Option | Range | Default | What it does |',
    '|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** The table of the package's README: what there is, and its default. */
export function optionOverview(sections: readonly Section[]): string {
  const lines = sections.map(({ title, rows }) => {
    const options = placedRows(rows).filter(({ row }) => row.shape.kind !== 'group');
    const told = options.map(({ path, row }) => {
      const byDefault = defaultOf(row);
      return `\`${path}\`${byDefault === 'none' ? '' : ` (${byDefault})`}`;
    });
    return `| ${title} | ${told.join(', ')} |`;
  });
  return ['| | Options and their defaults |', '|---|---|', ...lines].join('\n');
}
