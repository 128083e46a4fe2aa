// Types, schema and reference follow from the option table and the command. If one is stale, users read about options
// that do not exist. `pnpm generate` writes all of them.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMAND_OPTIONS, CONFIG_OPTIONS, FILE_OPTIONS, OPTIONS, SECTIONS } from '../../src/options/table.js';
import { commandSections, exitCodeTable } from './command-page.js';
import { configSchema } from './config-schema.js';
import { optionOverview, optionSections } from './option-text.js';
import { optionTypes } from './option-types.js';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Replaces the parts of a page between `<!-- generated: name -->` and `<!-- end -->`. */
function pageWith(path: string, parts: Readonly<Record<string, string>>): string {
  const page = readFileSync(path, 'utf8');
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [before = '', rest, extra] = text.split(`<!-- generated: ${name} -->\n`);
    const end = rest?.indexOf('<!-- end -->') ?? -1;
    if (rest === undefined || extra !== undefined || end < 0) throw new Error(`${path} has no one place for ${name}`);
    return `${before}<!-- generated: ${name} -->\n\n${part}\n\n${rest.slice(end)}`;
  }, page);
}

it('every option is in one section of the reference and of the help', () => {
  const named = SECTIONS.flatMap(({ title, rows }) => (title === 'Configuration file' ? [] : Object.keys(rows)));
  expect(named.sort()).toEqual(Object.keys({ ...OPTIONS, ...COMMAND_OPTIONS }).sort());
});

describe('the committed files are up to date', () => {
  it.each([
    [
      'packages/core/src/options/crawler-options.ts',
      () => optionTypes(OPTIONS, { ...COMMAND_OPTIONS, ...FILE_OPTIONS }),
    ],
    ['packages/core/schema/config.schema.json', () => configSchema(CONFIG_OPTIONS)],
  ])('%s', async (path, text) => {
    await expect(text()).toMatchFileSnapshot(pathOf(path));
  });

  it.each<[string, Readonly<Record<string, () => string | Promise<string>>>]>([
    ['docs/reference/options.md', { options: () => optionSections(SECTIONS) }],
    ['docs/reference/command.md', { commands: commandSections, 'exit codes': exitCodeTable }],
    ['packages/core/README.md', { options: () => optionOverview(SECTIONS) }],
  ])('%s', async (path, parts) => {
    const texts: Record<string, string> = {};
    for (const [name, text] of Object.entries(parts)) texts[name] = await text();
    await expect(pageWith(pathOf(path), texts)).toMatchFileSnapshot(pathOf(path));
  });
});
