// Checks a value against its row, and fills in defaults. Every message names the option, its range and the value.

import { invalidOption, MannerlyError } from '../errors.js';
import { isObject } from '../parse-json.js';
import { present } from '../present.js';
import type { Filled, Row, Rows, Shape } from './row.js';
import { choiceHint, hintFor, OBEY_HINT } from './suggestion.js';

/** Checks the options of a group and fills in the rest. @param path - Of the group, with a final dot, or empty. */
export function fill<R extends Rows>(path: string, rows: R, given: unknown): Filled<R> {
  const known = Object.keys(rows);
  const expected = path === '' ? 'an object' : `an object of ${known.join(', ')}`;
  const hint = path === 'robots.' && given === false ? OBEY_HINT : undefined;
  if (!isObject(given)) throw invalidOption(path.slice(0, -1) || 'options', expected, given, hint);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const hint = hintFor(unknown, path, rows);
    const message = `unknown option \`${path}${unknown}\`; known: ${known.join(', ')}`;
    throw new MannerlyError('option-unknown', message, present({ hint }));
  }
  const missing = Object.entries(rows).filter(([name, each]) => {
    return each.isRequired === true && each.isCheckedByOwner !== true && given[name] === undefined;
  });
  if (missing.length > 0) {
    throw invalidOption(path.slice(0, -1), `an object with ${missing.map(([name]) => name).join(' and ')}`, given);
  }
  const filled = Object.entries(rows).map(([name, row]) => [name, fillValue(`${path}${name}`, row, given[name])]);
  return Object.fromEntries(filled) as Filled<R>;
}

function fillValue(path: string, row: Row, given: unknown): unknown {
  if (row.isCheckedByOwner === true) return given ?? row.default;
  if (given === undefined && row.default === null) return null;
  return checkValue(path, row.shape, given === undefined ? row.default : given);
}

function checkValue(path: string, shape: Shape, value: unknown): unknown {
  if (shape.kind === 'either') {
    const matching = shape.shapes.find((each) => isOfKind(each, value));
    if (matching === undefined) throw invalidOption(path, shape.expected, value);
    const defaults = value === true ? shape.shapes.find(({ kind }) => kind === 'group') : undefined;
    return defaults === undefined ? checkValue(path, matching, value) : checkValue(path, defaults, {});
  }
  if (shape.kind === 'group') return fill(`${path}.`, shape.rows, value);
  if (!shape.accepts(value)) {
    const hint = shape.kind === 'choice' ? choiceHint(value, shape.values) : undefined;
    throw invalidOption(path, shape.expected, value, hint);
  }
  return shape.kind === 'list'
    ? (value as readonly unknown[]).map((each, at) => checkValue(`${path}[${at}]`, shape.of, each))
    : value;
}

/** Whether a value is of the kind of an alternative, in range or not. */
function isOfKind(shape: Shape, value: unknown): boolean {
  if (shape.kind === 'list') return Array.isArray(value);
  return shape.kind === 'number' ? typeof value === 'number' : shape.accepts(value);
}
