// A configuration against the schema that is shipped: what is wrong is told with the path of the key, its range and the value.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ErrorObject } from 'ajv';
import { UsageError } from './failure.js';

/** Keys that hold code: no schema speaks of them, the crawl itself checks them. */
const CODE_KEYS: readonly string[] = ['fetcher', 'sinks', 'hooks'];
const SCHEMA = new URL('../../schema/config.schema.json', import.meta.url);
/** Characters of a wrong value that are shown. */
const MAX_SHOWN = 100;
/** Deeper than any option is. */
const MAX_DEPTH = 8;

/** The part of a JSON schema that is put in words. */
interface SchemaPart {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaPart[];
  readonly items?: SchemaPart;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/**
 * Checks a configuration.
 *
 * @param isCode - Whether it comes from a module, where functions and objects of classes may stand.
 * @throws UsageError naming the file, the key, its range and the value.
 */
export async function checkConfig(file: string, config: unknown, isCode: boolean): Promise<void> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const schema = JSON.parse(await readFile(fileURLToPath(SCHEMA), 'utf8')) as object;
  const validate = new Ajv2020({ verbose: true, strict: false }).compile(schema);
  if (validate(isCode ? plainPart(config) : config)) return;
  throw new UsageError(`${file}: ${wordsOf(validate.errors ?? [])}`, 'docs/config.md lists every key.');
}

/** What is data of a module's configuration. */
function plainPart(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isCodeValue(each)).map((each) => plainPart(each, depth + 1));
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const entries = Object.entries(value).filter(
    ([key, each]) => each !== undefined && !isCodeValue(each) && !(depth === 0 && CODE_KEYS.includes(key)),
  );
  return Object.fromEntries(entries.map(([key, each]) => [key, plainPart(each, depth + 1)]));
}

function isCodeValue(value: unknown): boolean {
  return typeof value === 'function' || value instanceof RegExp;
}

/** The error that says most: the deepest; of alternatives, all of them in one. */
function wordsOf(errors: readonly ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  const deepest = Math.max(...errors.map(depth));
  const at = errors.filter((each) => depth(each) === deepest);
  const error =
    WORDED.map((word) => at.find(({ keyword }) => keyword === word)).find((each) => each !== undefined) ?? at[0];
  if (error === undefined) return 'it is no configuration';
  const path = error.instancePath
    .slice(1)
    .replaceAll('/', '.')
    .replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  const part = error.parentSchema as SchemaPart;
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty: key } = error.params as { additionalProperty: string };
    const where = path === '' ? 'a configuration' : `\`${path}\``;
    return `\`${path === '' ? '' : `${path}.`}${key}\` is no key; ${where} knows ${Object.keys(part.properties ?? {}).join(', ')}`;
  }
  if (error.keyword === 'required') {
    const { missingProperty: key } = error.params as { missingProperty: string };
    return `\`${path}\` lacks \`${key}\``;
  }
  const subject = path === '' ? 'the configuration' : `\`${path}\``;
  return `expected ${subject} to be ${describe(part)}, got ${show(error.data)}`;
}

/** Of several errors in one place, the first of these says most. */
const WORDED: readonly string[] = ['additionalProperties', 'required', 'anyOf'];

/** What a part of the schema takes, in words. */
function describe(part: SchemaPart): string {
  if (part.anyOf !== undefined) return part.anyOf.map(describe).join(', or ');
  if (part.enum !== undefined) return `one of ${part.enum.map(String).join(', ')}`;
  if (part.const !== undefined) return String(part.const);
  switch (part.type) {
    case 'integer':
      return `a whole number ${range(part)}`;
    case 'number':
      return `a number ${range(part)}`;
    case 'boolean':
      return 'true or false';
    case 'array': {
      const { minItems = 0, maxItems } = part;
      const count = maxItems === undefined ? '' : `${minItems > 0 ? `${minItems} to` : 'at most'} ${maxItems} `;
      return `a list of ${count}entries, each ${part.items === undefined ? 'anything' : describe(part.items)}`;
    }
    case 'string': {
      const most = part.maxLength === undefined ? '' : ` of at most ${part.maxLength} characters`;
      return `a text${most}${part.pattern === undefined ? '' : ` like ${part.pattern}`}`;
    }
    default:
      return 'an object';
  }
}

function range({ minimum, exclusiveMinimum, maximum }: SchemaPart): string {
  const least = exclusiveMinimum === undefined ? `from ${minimum ?? 0}` : `above ${exclusiveMinimum}, up`;
  return `${least} to ${maximum}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
