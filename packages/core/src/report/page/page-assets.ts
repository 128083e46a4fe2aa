// What report.html carries within itself: the page's own style and script, which ship beside this package's code, and the
// plotting library's as it is installed.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { MannerlyError } from '../../errors.js';

/** The texts. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
  readonly plotStyle: string;
  readonly plotScript: string;
}

/** Reads them. @throws MannerlyError `install-broken` where one is missing. */
export async function readPageAssets(): Promise<PageAssets> {
  const { resolve } = createRequire(import.meta.url);
  const own = (name: string) => readText(new URL(`../../../report-page/${name}`, import.meta.url));
  const [style, script, plotStyle, plotScript] = await Promise.all([
    own('report.css'),
    own('report.js'),
    readText(resolve('uplot/dist/uPlot.min.css')),
    readText(resolve('uplot/dist/uPlot.iife.min.js')),
  ]);
  for (const text of [script, plotScript]) {
    // It would end the element that it is to stand in.
    if (/<\/script/i.test(text)) throw new MannerlyError('install-broken', 'a script of the report ends itself');
  }
  return { style, script, plotStyle, plotScript };
}

async function readText(path: string | URL): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MannerlyError('install-broken', `${String(path)} cannot be read`, {
      cause,
      hint: 'It is part of the package: install mannerly again.',
    });
  }
}
