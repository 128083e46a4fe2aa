// The JSON schema of configuration files, for editors and for other programs.

import type { Row, Rows, Shape } from '../../src/options/row.js';
import { withoutLinks } from './option-text.js';

type Json = Readonly<Record<string, unknown>>;

/** The schema. @param rows - The rows of a configuration file. */
export function configSchema(rows: Rows): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'mannerly.config',
    description: 'Configuration of mannerly crawl and mannerly plan. Flags of the command override it.',
    ...objectOf(rows),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function objectOf(rows: Rows): Json {
  const data = Object.entries(rows).flatMap(([name, row]) => {
    const part = partOf(row.shape);
    return part === null ? [] : [[name, { ...part, ...aboutOf(row) }] as const];
  });
  const required = data.flatMap(([name]) => {
    const { isRequired, isCheckedByOwner } = rows[name] as Row;
    return isRequired === true && isCheckedByOwner !== true ? [name] : [];
  });
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(data),
    ...(required.length === 0 ? {} : { required }),
  };
}

function aboutOf(row: Row): Json {
  const { does, default: value, shape } = row;
  const hasDefault = value !== null && typeof value !== 'object' && shape.kind !== 'group';
  return { description: withoutLinks(does).replaceAll('`', ''), ...(hasDefault ? { default: value } : {}) };
}

/** `null`: JSON cannot express it. */
function partOf(shape: Shape): Json | null {
  switch (shape.kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'number': {
      const { min, max, isInteger, isExclusiveMin } = shape.range;
      const from = isExclusiveMin ? { exclusiveMinimum: min } : { minimum: min };
      return { type: isInteger ? 'integer' : 'number', ...from, maximum: max };
    }
    case 'choice':
      return { enum: shape.values };
    case 'text': {
      const { pattern, max } = shape;
      const ends = { minLength: 1, ...(max === undefined ? {} : { maxLength: max }) };
      return { type: 'string', ...ends, ...(pattern === undefined ? {} : { pattern }) };
    }
    case 'list': {
      const items = partOf(shape.of);
      if (items === null) return null;
      const ends = {
        ...(shape.min === 0 ? {} : { minItems: shape.min }),
        ...(shape.max === undefined ? {} : { maxItems: shape.max }),
      };
      return { type: 'array', items, ...ends };
    }
    case 'group':
      return objectOf(shape.rows);
    case 'json':
      return {};
    case 'code':
      return null;
    case 'either': {
      const parts = shape.shapes.flatMap((each) => partOf(each) ?? []);
      return parts.length === 1 ? (parts[0] as Json) : { anyOf: parts };
    }
  }
}
