// @mannerly/robots in other crawlers: the class for Crawlee, and the bridge for Scrapy.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRobotsClient } from '@mannerly/robots/client';
import { describe, expect, it } from 'vitest';
import { RobotsTxtFile } from './robots-for-crawlee.js';

const SCRAPY = fileURLToPath(new URL('scrapy/', import.meta.url));
const FILE = 'User-agent: examplebot\nDisallow: /private/\n\nSitemap: /map.xml\n';
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe("Crawlee's RobotsTxtFile", () => {
  const clientOf = (answer: () => Response) =>
    createRobotsClient({
      identity: { name: 'examplebot', contact: 'https://example.org/bot' },
      fetch: async () => answer(),
    });

  it('answers by the rules and lists the sitemaps', async () => {
    const robots = await RobotsTxtFile.find(
      'https://a.example/',
      clientOf(() => new Response(FILE)),
    );
    expect(await robots.isAllowed('https://a.example/private/x')).toBe(false);
    expect(await robots.isAllowed('https://a.example/x')).toBe(true);
    expect(robots.getSitemaps()).toEqual(['https://a.example/map.xml']);
  });

  it('allows nothing while robots.txt fails', async () => {
    const robots = await RobotsTxtFile.find(
      'https://a.example/',
      clientOf(() => new Response('', { status: 500 })),
    );
    expect(await robots.isAllowed('https://a.example/x')).toBe(false);
  });
});

describe("Scrapy's ROBOTSTXT_PARSER", () => {
  const ask = (path: string, userAgent: string) => ({
    body: Buffer.from(FILE).toString('hex'),
    url: `https://a.example${path}`,
    userAgent,
  });

  it('is answered by the bridge, also what it cannot understand', async () => {
    const bridge = spawn(process.execPath, [`${SCRAPY}robots-bridge.mjs`], { stdio: ['pipe', 'pipe', 'ignore'] });
    const questions = [ask('/private/x', 'examplebot/1.0'), ask('/x', 'examplebot/1.0'), ask('/private/x', 'otherbot')];
    const lines = [...questions.map((question) => JSON.stringify(question)), '{', '{"url":7}'];
    bridge.stdin.end(`${lines.join('\n')}\n`);
    const answers: unknown[] = [];
    for await (const line of createInterface({ input: bridge.stdout })) answers.push(JSON.parse(line));
    expect(answers).toEqual([false, true, true, false, false].map((allowed) => ({ allowed })));
  });

  it.skipIf(!hasPython)('is a class that Python can use', async () => {
    const program = [
      'from mannerly_robots import MannerlyRobotParser as P',
      `robots = P.from_crawler(None, ${JSON.stringify(FILE)}.encode() + b"\\xff")`,
      'print([robots.allowed("https://a.example" + p, "examplebot/1.0") for p in ("/private/x", "/x", "/")])',
    ].join('\n');
    const { stdout } = await promisify(execFile)('python3', ['-c', program], {
      cwd: SCRAPY,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      timeout: 20_000,
    });
    expect(stdout.trim()).toBe('[False, True, True]');
  });
});
