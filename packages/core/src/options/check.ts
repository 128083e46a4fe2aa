// Checks a value against its row, and fills in defaults. Every message names the option, its range and the value.

import { invalidOption, MannerlyError } from '../errors.js';
import { isObject } from '../parse-json.js';
import { present } from '../present.js';
import type { Filled, Row, Rows, Shape } from './row.js';
import { hintFor } from './suggestion.js';

/** Checks the options of a group and fills in the rest. @param path - Of the group, with a final dot, or empty. */
export function fill<R extends Rows>(path: string, rows: R, given: unknown): Filled<R> {
  const known = Object.keys(rows);
  if (!isObject(given))
    throw invalidOption(
      path.slice(0, -1) || 'options',
      path === '' ? 'an object' : `an object of ${known.join(', ')}`,
      given,
    );
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
  if (shape.kind === 'group') return fill(`${path}.`, shape.rows, value);
  if (shape.kind === 'either') {
    const matching = shape.shapes.find((each) => isOfKind(each, value));
    if (matching === undefined) throw invalidOption(path, expectation(shape), value);
    return checkValue(path, matching, value);
  }
  if (shape.kind === 'list' && isList(shape, value)) {
    return value.map((each, at) => checkValue(`${path}[${at}]`, shape.of, each));
  }
  if (!accepts(shape, value)) throw invalidOption(path, expectation(shape), value);
  return value;
}

/** Whether a value is of the kind of an alternative, in range or not. */
function isOfKind(shape: Shape, value: unknown): boolean {
  if (shape.kind === 'group') return isObject(value);
  if (shape.kind === 'list') return Array.isArray(value);
  if (shape.kind === 'number') return typeof value === 'number';
  return accepts(shape, value);
}

function accepts(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'number': {
      const { min, max, isInteger, isExclusiveMin } = shape.range;
      if (typeof value !== 'number' || !(value <= max)) return false;
      return (isExclusiveMin ? value > min : value >= min) && (!isInteger || Number.isInteger(value));
    }
    case 'choice':
      return shape.values.some((each) => each === value);
    case 'text': {
      if (typeof value !== 'string' || value === '' || value.length > (shape.max ?? value.length)) return false;
      return shape.pattern === undefined || new RegExp(shape.pattern).test(value);
    }
    case 'list':
      return isList(shape, value) && value.every((each) => accepts(shape.of, each));
    case 'code':
      return shape.accepts(value);
    case 'either':
      return shape.shapes.some((each) => accepts(each, value));
    case 'group':
      return isObject(value);
  }
}

function isList(shape: Shape & { readonly kind: 'list' }, value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= shape.min && value.length <= (shape.max ?? value.length);
}

/** What a shape accepts, in words. */
function expectation(shape: Shape): string {
  switch (shape.kind) {
    case 'boolean':
      return 'true or false';
    case 'number': {
      const { min, max, isInteger, isExclusiveMin } = shape.range;
      if (min === Number.MIN_SAFE_INTEGER) return 'a whole number';
      return `a ${isInteger ? 'whole ' : ''}number ${isExclusiveMin ? `above ${min}, up` : `from ${min}`} to ${max}`;
    }
    case 'choice':
      return shape.values.length === 1 ? String(shape.values[0]) : `one of ${shape.values.join(', ')}`;
    case 'text':
      return shape.max === undefined ? shape.what : `${shape.what} of 1 to ${shape.max} characters`;
    case 'list': {
      const { min, max } = shape;
      const count = max === undefined ? '' : `${min > 0 ? `${min} to` : 'at most'} ${max} entries, `;
      return count === '' ? `a list, each ${expectation(shape.of)}` : `a list of ${count}each ${expectation(shape.of)}`;
    }
    case 'code': {
      const { type, members = [] } = shape;
      return `a value of type ${type}${members.length === 0 ? '' : `, an object with ${members.join(', ')}`}`;
    }
    case 'either':
      return shape.shapes.map(expectation).join(', or ');
    case 'group':
      return `an object of ${Object.keys(shape.rows).join(', ')}`;
  }
}
