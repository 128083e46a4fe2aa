// The report page carries text of sites. If this breaks, a site's URL may run as a script in the browser of anyone who
// reads a report.

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { jsonForScript, reportHtml } from './write-report.js';

const HOSTILE = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> /* @script */ $& \u2028';

describe('the report page', () => {
  it('keeps hostile text within the JSON block, which parses to the same text', async () => {
    const html = await reportHtml({ methods: HOSTILE } as Parameters<typeof reportHtml>[0]);
    const [, block = ''] = /<script type="application\/json" id="report-data">([^<]*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(block).report.methods).toBe(HOSTILE);
    expect(html.split('alert(1)')).toHaveLength(2);
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html).not.toContain('<!--');
  });

  it('fills every place of the template', async () => {
    expect(
      (await reportHtml({} as Parameters<typeof reportHtml>[0])).replace(/<script[\s\S]*<\/script>/, ''),
    ).not.toMatch(/@policy|@style|@data|@plotScript|@script/);
  });

  it.each(['</script>', '<!--', '<script>', ']]>', '&lt;'])('%s survives as JSON in a script element', (text) => {
    expect(jsonForScript({ text })).not.toContain('<');
    expect(JSON.parse(jsonForScript({ text }))).toEqual({ text });
  });

  it.each(['elements.js', 'report.js', 'dashboard.js'])(
    'makes no markup from text, and %s does not end its element',
    async (file) => {
      const script = await readFile(new URL(`../../../pages/${file}`, import.meta.url), 'utf8');
      expect(script).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(|Function\(/,
      );
      expect(script).not.toMatch(/<\/?script|<!--/i);
    },
  );
});
