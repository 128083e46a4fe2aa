// Option rows as text: ranges, defaults and sentences, for doc comments and for the tables of the reference and the
// README.

import type { Row, Shape } from '../../src/options/row.js';
import { type PlacedRow, placedRows, type Section } from '../../src/options/table.js';

/** The values a shape accepts, in Markdown. */
export function rangeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'boolean':
      return '`true`, `false`';
    case 'number': {
      const { min, max, isExclusiveMin, unit, isInteger } = shape.range;
      const after = unit === '' || unit.startsWith(',') ? unit : ` ${unit}`;
      if (min === Number.MIN_SAFE_INTEGER) return 'a whole number';
      if (isInteger && max === Number.MAX_SAFE_INTEGER) return `${formatNumber(min)} or more${after}`;
      return `${isExclusiveMin ? `more than ${formatNumber(min)},` : formatNumber(min)} to ${formatNumber(max)}${after}`;
    }
    case 'choice':
      return shape.values.map((value) => `\`${value}\``).join(', ');
    case 'text':
      return shape.max === undefined ? shape.what : `${shape.what}, 1 to ${shape.max} characters`;
    case 'list': {
      const { min, max } = shape;
      const count = max === undefined ? '' : `${formatNumber(min)} to ${formatNumber(max)} entries: `;
      return `list of ${count}${rangeOf(shape.of)}`;
    }
    case 'json':
      return 'a JSON value';
    case 'group':
      return 'an object';
    case 'code':
      return `\`${shape.type}\``;
    case 'either':
      return shape.shapes.map(rangeOf).join(', or ');
  }
}

/** The default, in Markdown. */
export function defaultOf({ defaultText, isRequired, default: value, shape }: Row): string {
  if (isRequired === true) return 'required';
  if (defaultText !== undefined) return defaultText;
  if (value === null) return 'none';
  if (shape.kind === 'group') return '';
  return typeof value === 'number' ? formatNumber(value) : `\`${Array.isArray(value) ? '[]' : String(value)}\``;
}

/** What the option does and which values are relaxed, in Markdown. */
export function sentenceOf({ does, relaxed }: Row): string {
  if (relaxed === undefined) return does;
  const [values] = relaxed;
  if ('below' in values) return `${does} Relaxed: less than ${formatNumber(values.below)}.`;
  if ('above' in values) return `${does} Relaxed: more than ${formatNumber(values.above)}.`;
  if ('longerThan' in values) return `${does} Relaxed: more than ${formatNumber(values.longerThan)} entries.`;
  if ('not' in values) return `${does} Relaxed: all but \`${values.not}\`.`;
  return `${does} Relaxed: ${values.map((value) => `\`${value}\``).join(', ')}.`;
}

/** Replaces links to guides by their paths. */
export function withoutLinks(markdown: string): string {
  const guides = markdown.replaceAll(/\[([^\]]+)\]\(\.\.\/([a-z]+\.md)[^)]*\)/g, '$1 (docs/$2)');
  return guides.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

/** A number as people write it. */
export function formatNumber(value: number): string {
  return value === 1 / 3_600 ? '1/3,600' : value.toLocaleString('en-US');
}

/** The sections of docs/reference/options.md. */
export function optionSections(sections: readonly Section[]): string {
  return sections.map(section).join('\n\n');
}

function section({ title, rows }: Section): string {
  const all = placedRows(rows);
  const groups = all.filter(({ row }) => row.shape.kind === 'group' && Object.values(rows).includes(row));
  const intro = groups.map(({ row }) => row.does).join('\n\n');
  const options = all.filter(({ row }) => row.shape.kind !== 'group');
  return [`## ${title}`, ...(intro === '' ? [] : [intro]), ...options.map(definition)].join('\n\n');
}

/** A heading, so that each option has an anchor; the site makes a definition list of them. */
function definition({ path, row }: PlacedRow): string {
  const byDefault = row.isRequired === true ? 'required' : `default: ${defaultOf(row)}`;
  return `### \`${path}\`\n\n${rangeOf(row.shape)} · ${byDefault}\n\n${sentenceOf(row)}`;
}

/** The table of the package's README: all options, and their defaults. */
export function optionOverview(sections: readonly Section[]): string {
  const lines = sections.map(({ title, rows }) => {
    const options = placedRows(rows).filter(({ row }) => row.shape.kind !== 'group');
    const description = options.map(({ path, row }) => {
      const byDefault = defaultOf(row);
      return `\`${path}\`${byDefault === 'none' ? '' : ` (${byDefault})`}`;
    });
    return `| ${title} | ${description.join(', ')} |`;
  });
  return ['| | Options and their defaults |', '|---|---|', ...lines].join('\n');
}
