// A name that a server chose must not write outside the folder, and half a file must not look complete.

import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nameOf, safeName, saveFile } from './save.js';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it('writes nothing through a symbolic link that leads out of the folder', async () => {
  const [own, elsewhere] = [await folder(), await folder()];
  await symlink(elsewhere, join(own, 'a.test'));
  const saved = saveFile(own, 'a.test/page.html', [Buffer.from('text')]);
  await expect(saved).rejects.toMatchObject({ code: 'file-failed', message: expect.stringMatching(/symbolic link/) });
  await expect(saveFile(own, 'a.test/b/page.html', [Buffer.from('text')])).rejects.toThrow(/symbolic link/);
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(own)).toEqual(['a.test']);
});

it('saves a file and a folder of the same name, whichever came first', async () => {
  const own = await folder();
  const names = ['news', 'news/1', 'news/1/a', 'a/b', 'a', 'news', 'news/1', 'a'];
  const saved = [];
  for (const name of names) saved.push((await saveFile(own, name, [Buffer.from(name)])).path.slice(own.length + 1));
  const expected = ['news', 'news~/1', 'news~/1~/a', 'a/b', 'a~', 'news', 'news~/1', 'a~'];
  expect(saved).toEqual(expected.map((path) => path.replaceAll('/', sep)));
  expect(await readFile(join(own, 'a~'), 'utf8')).toBe('a');
  expect((await readdir(own)).toSorted()).toEqual(['a', 'a~', 'news', 'news~']);
});

it.each([
  ['https://a.test/', 'a.test/index'],
  ['https://a.test:8080/docs/', 'a.test:8080/docs/index'],
  ['https://a.test/paper.pdf', 'a.test/paper.pdf'],
  ['https://a.test/get.php?file=a.pdf', 'a.test/get~623db8a96327.php'],
  ['https://a.test/get.php?file=b.pdf', 'a.test/get~8f6a4f7a6056.php'],
])('%s is saved as %s by default', (url, name) => {
  expect(nameOf(url)).toBe(name);
});

describe('a name', () => {
  it.each([
    ['paper.pdf', 'paper.pdf'],
    ['/docs/a/paper.pdf', 'docs/a/paper.pdf'],
    ['../../etc/passwd', 'etc/passwd'],
    ['/..%2f..%2Fetc/passwd', 'etc/passwd'],
    ['..\\..\\windows\\x.dll', 'windows/x.dll'],
    ['C:\\x', 'C_/x'],
    ['a/./b/../c', 'a/b/c'],
    ['', 'index'],
    ['/', 'index'],
    ['..', 'index'],
    ['.. /.. /x', 'x'],
    ['.htaccess', '_htaccess'],
    ['...', '___'],
    ['a\0b\nc', 'a_b_c'],
    ['a%00b', 'a_b'],
    ['NUL.txt', '_NUL.txt'],
    ['com¹.txt', '_com¹.txt'],
    ['CONOUT$', '_CONOUT$'],
    ['a\x9b2Jb\u061cc\u2028d', 'a_2Jb_c_d'],
    ['trailing. ', 'trailing_'],
    ['gpj\u202Eexe.', 'gpj_exe_'],
    ['%zz', '%zz'],
    ['\ud800', '\uFFFD'],
    ['Grüße.html', 'Grüße.html'],
  ])('%j becomes %j', (name, safe) => {
    expect(safeName(name)).toBe(safe);
  });

  it('of any length and depth fits a file system, and two long names stay different', () => {
    const long = `${'ü'.repeat(500)}.pdf`;
    expect(Buffer.byteLength(safeName(long))).toBeLessThanOrEqual(200);
    expect(safeName(long)).toMatch(/\.pdf$/);
    expect(safeName(long)).not.toBe(safeName(`x${long}`));
    expect(safeName('a/'.repeat(1_000)).split('/').length).toBeLessThanOrEqual(16);
  });

  it('never leads out of the folder', () => {
    for (const name of [
      '../x',
      '/../../x',
      '%2e%2e/x',
      '..%5c..%5cx',
      'a/../../../x',
      '/etc/x',
      '\\\\host\\share\\x',
    ]) {
      expect(resolve('/base', safeName(name)).startsWith('/base/')).toBe(true);
    }
  });
});

describe('a file', () => {
  it('is written completely, with its hash, and replaces one of its name', async () => {
    const path = await folder();
    await saveFile(path, 'a/b.txt', [Buffer.from('old')]);
    const saved = await saveFile(path, 'a/b.txt', [Buffer.from('hel'), Buffer.from('lo')]);
    expect(saved).toEqual({
      path: join(path, 'a/b.txt'),
      bytes: 5,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
    expect(await readFile(saved.path, 'utf8')).toBe('hello');
  });

  it('that cannot be written leaves nothing behind', async () => {
    const path = await folder();
    await writeFile(join(path, 'a'), 'a file where the folder should be');
    await expect(saveFile(join(path, 'a'), 'b.txt', [Buffer.from('x')])).rejects.toMatchObject({ code: 'file-failed' });
    const broken = (async function* () {
      yield Buffer.from('half');
      throw new Error('the source broke');
    })();
    await expect(saveFile(path, 'c.txt', broken)).rejects.toMatchObject({ code: 'file-failed' });
    expect(await readdir(path)).toEqual(['a']);
  });
});
