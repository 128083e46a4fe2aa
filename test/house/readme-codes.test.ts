// Users look for an error code in the package's README. If this breaks, they find nothing, or an explanation of a
// removed code.

import { describe, expect, it } from 'vitest';
import { errorCodes, readmeCodeFaults } from './readme-codes.js';
import { faultLines, readFiles } from './source-tree.js';

const GOOD = '# a\n\n## Errors\n\n### `bad-option`\nSay it right.\n\n### `gone`\nIt is gone.\n\n## After\n';

const READMES: readonly (readonly [readme: string, says: string | null])[] = [
  [GOOD, null],
  [GOOD.replace('\n## After\n', ''), null],
  [GOOD.replace('### `gone`\nIt is gone.\n', ''), 'no heading for gone'],
  [GOOD.replace('### `gone`', '### gone'), 'no heading for gone'],
  [GOOD.replace('### `gone`', '#### `gone`'), 'no heading for gone'],
  [GOOD.replace('### `gone`', '### `gone-by`'), 'a heading for no code: gone-by'],
  [GOOD.replace('It is gone.\n', ''), 'nothing is said under gone'],
  [GOOD.replace('## Errors', '## Options'), 'no heading for bad-option'],
  [GOOD.replace('### `gone`\nIt is gone.\n', '```\n### `gone`\nIt is gone.\n```\n'), 'no heading for gone'],
  [`${GOOD}\n### \`elsewhere\`\nNot about errors.\n`, null],
  ['', 'no heading for bad-option'],
];

describe('the rule of codes and headings', () => {
  it.each(READMES)('%j → %s', (text, says) => {
    const faults = faultLines(readmeCodeFaults(['bad-option', 'gone'], { path: 'README.md', text }));
    if (says === null) expect(faults).toEqual([]);
    else expect(faults.join('\n')).toContain(says);
  });

  it.each<[source: string, codes: string[]]>([
    [`export type AErrorCode = 'one' | 'two';`, ['one', 'two']],
    [`type AErrorCode = 'one' | 'two';`, ['one', 'two']],
    [`/** 'zero' */\nexport type AErrorCode =\n  // 'nought'; gone\n  | 'one'\n  | 'two';`, ['one', 'two']],
    [`export type Other = 'one';`, []],
  ])('reads the codes of %j', (source, codes) => {
    expect(errorCodes(source)).toEqual(codes);
  });

  it('does not pass because codes are missing', () => {
    expect(readmeCodeFaults([], { path: 'README.md', text: GOOD })).toHaveLength(1);
  });
});

describe('this project', () => {
  it.each(['robots', 'frontier', 'core'])('explains every error code of %s in its README, and no other', (folder) => {
    const [errors, readme] = readFiles([`packages/${folder}/src/errors.ts`, `packages/${folder}/README.md`]);
    expect(faultLines(readmeCodeFaults(errorCodes(errors!.text), readme!))).toEqual([]);
  });
});
