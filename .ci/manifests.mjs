// The address of the repository is in one place, `repository.url` of the root package.json. From it, this program
// derives `repository`, `bugs` and `homepage` of every published package: it checks them, `--write` fills them in, and
// `--release` also refuses the placeholder `repository.invalid`.

import { readFileSync, writeFileSync } from 'node:fs';

const PACKAGES = ['packages/robots', 'packages/frontier', 'packages/core'];
const rootUrl = new URL('../', import.meta.url);

/** The fields that a package in `folder` has, given the address of the repository. */
function fieldsOf(folder, gitUrl) {
  const web = gitUrl.replace(/^git\+/, '').replace(/\.git$/, '');
  return {
    repository: { type: 'git', url: gitUrl, directory: folder },
    bugs: { url: `${web}/issues` },
    homepage: `${web}#readme`,
  };
}

const read = (path) => JSON.parse(readFileSync(new URL(path, rootUrl), 'utf8'));
const gitUrl = read('package.json').repository.url;
const faults = [];

for (const folder of PACKAGES) {
  const path = `${folder}/package.json`;
  const manifest = read(path);
  const fields = fieldsOf(folder, gitUrl);
  const different = Object.keys(fields).filter((key) => JSON.stringify(manifest[key]) !== JSON.stringify(fields[key]));
  if (different.length === 0) continue;
  if (process.argv.includes('--write')) {
    writeFileSync(new URL(path, rootUrl), `${JSON.stringify({ ...manifest, ...fields }, null, 2)}\n`);
    console.log(`${path}: wrote ${different.join(', ')}`);
  } else faults.push(`${path}: ${different.join(', ')} differ from the root package.json; run pnpm manifests`);
}
if (process.argv.includes('--release') && /\.invalid\b/.test(gitUrl)) {
  faults.push(
    'package.json: `repository.url` is still the placeholder; see CONTRIBUTING.md, "Before the first release"',
  );
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
