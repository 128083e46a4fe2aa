// An outdated document is worse than none: links, commands, file names and error codes are checked.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandFaults, linkFaults, sourceFaults } from './document-rules.js';
import { faultLines, listFiles, readFiles, rootPath } from './source-tree.js';

describe('the document rules', () => {
  const other = { path: 'docs/b.md', text: '# Title\n\n## What it is, and why\n' };

  it.each([
    ['[b](docs/b.md)', 0],
    ['[b](docs/c.md)', 1],
    ['[b](docs)', 0],
    ['[b](docs/)', 0],
    ['[b](docs/b.md#what-it-is-and-why)', 0],
    ['[b](docs/b.md#what-it-was)', 1],
    ['[b](#here)\n\n## Here', 0],
    ['[b](#there)\n\n## Here', 1],
    ['[b](https://example.org/c.md)', 0],
    ['`[b](docs/c.md)`', 0],
    ['```\n[b](docs/c.md)\n```', 0],
  ])('%j: %d faults', (text, faults) => {
    expect(linkFaults([{ path: 'README.md', text }, other], ['README.md', 'docs/b.md'])).toHaveLength(faults);
  });

  it.each([
    ['npx -y pnpm@10 demo', 0],
    ['npx -y pnpm@10 exec vitest', 0],
    ['npx -y pnpm@10 demos', 1],
  ])('%s: %d faults', (text, faults) => {
    expect(commandFaults([{ path: 'README.md', text }], ['demo'])).toHaveLength(faults);
  });

  it.each([
    ['see core/fetch/egress.ts', 0],
    ['see core/fetch/ingress.ts', 1],
  ])('%s: %d faults', (text, faults) => {
    expect(sourceFaults([{ path: 'README.md', text }], ['packages/core/src/fetch/egress.ts'])).toHaveLength(faults);
  });
});

describe('the documents of this project', () => {
  const paths = listFiles();
  const documents = readFiles(paths.filter((path) => path.endsWith('.md')));

  it('are where newcomers look for them', () => {
    const names = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'UPGRADING.md',
      '.editorconfig',
      '.nvmrc',
      '.github/workflows/ci.yml',
      '.github/pull_request_template.md',
      'LICENSE',
      '.ci/run',
    ];
    expect(names.filter((name) => !paths.includes(name))).toEqual([]);
  });

  it('link to what exists', () => {
    expect(faultLines(linkFaults(documents, paths))).toEqual([]);
  });

  it('name commands that exist', () => {
    const manifest = JSON.parse(readFileSync(`${rootPath}package.json`, 'utf8')) as { scripts: Record<string, string> };
    expect(faultLines(commandFaults(documents, Object.keys(manifest.scripts)))).toEqual([]);
  });

  it('name sources that exist', () => {
    const architecture = documents.filter((document) => document.path === 'ARCHITECTURE.md');
    expect(architecture).toHaveLength(1);
    expect(faultLines(sourceFaults(architecture, paths))).toEqual([]);
  });

  it.each(['packages/core/src', 'packages/frontier/src'])('name every folder of %s', (folder) => {
    const architecture = documents.find((document) => document.path === 'ARCHITECTURE.md')?.text ?? '';
    const folders = new Set(
      paths.flatMap(
        (path) => /^([^/]+)\/./.exec(path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : '')?.[1] ?? [],
      ),
    );
    expect(folders.size).toBeGreaterThan(5);
    expect([...folders].filter((folder) => !architecture.includes(`\`${folder}\``))).toEqual([]);
  });

  it.each(['robots', 'frontier', 'core'])('have a heading for every error code of %s', (folder) => {
    const source = readFileSync(`${rootPath}packages/${folder}/src/errors.ts`, 'utf8');
    const union = /type \w+ErrorCode =([^;]*);/.exec(source)?.[1] ?? '';
    const codes = [...union.matchAll(/'([\w-]+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(2);
    const readme = readFileSync(`${rootPath}packages/${folder}/README.md`, 'utf8');
    expect(codes.filter((code) => !readme.includes(`\n### \`${code}\`\n`))).toEqual([]);
  });
});
