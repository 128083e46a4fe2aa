// Rows as text: ranges, defaults and sentences, for doc comments and for the tables of the reference and the README.

import type { Relaxed, Row, Rows, Shape } from '../../src/options/row.js';
import { type PlacedRow, placedRows, type Section } from '../../src/options/table.js';

/** The values a shape accepts, in Markdown. */
export function rangeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'boolean':
      return '`true`, `false`';
    case 'number': {
      const { least, most, isAboveLeast, unit, isWhole } = shape.range;
      const after = unit === '' || unit.startsWith(',') ? unit : ` ${unit}`;
      if (least === Number.MIN_SAFE_INTEGER) return 'a whole number';
      if (isWhole && most === Number.MAX_SAFE_INTEGER) return `${written(least)} or more${after}`;
      return `${isAboveLeast ? `more than ${written(least)},` : written(least)} to ${written(most)}${after}`;
    }
    case 'choice':
      return shape.values.map((value) => `\`${value}\``).join(', ');
    case 'text':
      return shape.most === undefined ? shape.what : `${shape.what}, 1 to ${shape.most} characters`;
    case 'list': {
      const { least, most } = shape;
      const count = most === undefined ? '' : `${written(least)} to ${written(most)} entries: `;
      return `list of ${count}${rangeOf(shape.of)}`;
    }
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
  return typeof value === 'number' ? written(value) : `\`${Array.isArray(value) ? '[]' : String(value)}\``;
}

/** Values that are less polite than a site may expect, in Markdown. */
function relaxedValues({ values }: Relaxed): string {
  if ('below' in values) return `less than ${written(values.below)}`;
  if ('above' in values) return `more than ${written(values.above)}`;
  if ('longerThan' in values) return `more than ${written(values.longerThan)} entries`;
  return 'not' in values ? `all but \`${values.not}\`` : values.map((value) => `\`${value}\``).join(', ');
}

/** Markdown with the paths of guides in place of links. */
export function withoutLinks(markdown: string): string {
  const guides = markdown.replaceAll(/\[([^\]]+)\]\(\.\.\/([a-z]+\.md)[^)]*\)/g, '$1 (docs/$2)');
  return guides.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

/** A number as people write it. */
export function written(value: number): string {
  return value === 1 / 3_600 ? '1/3,600' : value.toLocaleString('en-US');
}

/** What options do, by their paths, in Markdown. */
export type Sentences = ReadonlyMap<string, string>;

/** What stands in the page until somebody has written what a new option does. */
export const UNSAID = 'Not described yet.';

/** The sections of docs/reference/options.md. */
export function optionSections(sections: readonly Section[], page: string): string {
  return sections.map((each) => section(each, sentencesIn(page, [each]))).join('\n\n');
}

/** What the page says of the options of these sections: below the heading of each, and of groups at the beginning. */
export function sentencesIn(page: string, sections: readonly Section[]): Sentences {
  const found = sections.flatMap(({ title, rows }) => {
    const [, rest = ''] = page.split(`\n## ${title}\n`);
    const [intro = '', ...definitions] = rest.replace(/\n(?:## |<!-- end)[\s\S]*/, '').split('\n### ');
    const groups = introduced(rows).map(({ path }, at) => [path, paragraphs(intro)[at] || UNSAID] as const);
    const ofOptions = definitions.map((text) => {
      const [heading = '', _facts, ...said] = paragraphs(text);
      return [heading.replaceAll('`', ''), said.join('\n\n') || UNSAID] as const;
    });
    return [...groups, ...ofOptions];
  });
  return new Map(found);
}

function paragraphs(text: string): string[] {
  return text.trim().split('\n\n');
}

/** The groups that a section begins with; those within them have headings. */
function introduced(rows: Rows): readonly PlacedRow[] {
  return placedRows(rows).filter(({ row }) => row.shape.kind === 'group' && Object.values(rows).includes(row));
}

function section({ title, rows }: Section, said: Sentences): string {
  const groups = introduced(rows);
  const options = placedRows(rows).filter(({ path }) => groups.every((group) => group.path !== path));
  const intro = groups.map(({ path }) => said.get(path) ?? UNSAID);
  return [`## ${title}`, ...intro, ...options.map((placed) => definition(placed, said))].join('\n\n');
}

/** A heading, so that each option has an anchor; the site makes a definition list of them. */
function definition({ path, row }: PlacedRow, said: Sentences): string {
  const byDefault = row.isRequired === true ? 'required' : `default: ${defaultOf(row) || 'that of each'}`;
  const facts = [
    rangeOf(row.shape),
    byDefault,
    ...(row.relaxed === undefined ? [] : [`relaxed: ${relaxedValues(row.relaxed)}`]),
  ];
  return `### \`${path}\`\n\n${facts.join(' · ')}\n\n${said.get(path) ?? UNSAID}`;
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
