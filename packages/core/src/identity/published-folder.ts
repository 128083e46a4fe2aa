// The folder that `publish` writes, answered from as its host would answer: with the fields of `_headers`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orIfAbsent } from '../directory/whole-file.js';
import { FILES } from './identity-card.js';
import type { FetchPublished } from './published-file.js';

/** Types of files that `_headers` does not name, as hosts give them. */
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', json: 'application/json' };

export function publishedFolder(folder: string): FetchPublished {
  return async ({ pathname }) => {
    const name = pathname === '/' ? FILES.root : pathname.slice(1);
    const isOurs = Object.values(FILES).some((file) => file === name);
    const body = isOurs ? await orIfAbsent(null, () => readFile(join(folder, name))) : null;
    if (body === null) return `${join(folder, name)} is not there`;
    const headers = fieldsOf(await orIfAbsent('', () => readFile(join(folder, '_headers'), 'utf8')), pathname);
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const named = headers.some(([each]) => each.toLowerCase() === 'content-type');
    return { status: 200, headers: named ? headers : [['content-type', type], ...headers], body, isCut: false };
  };
}

function fieldsOf(text: string, path: string): readonly (readonly [string, string])[] {
  const block = `\n${text}`.split(`\n${path}\n`)[1]?.split('\n\n')[0] ?? '';
  return [...block.matchAll(/^ {2}([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);
}
