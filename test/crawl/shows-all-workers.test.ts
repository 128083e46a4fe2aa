// The live view and the metrics of `--workers`: one page with a row for each process, whose numbers add up. An operator
// who sees only one process of three mistakes a third of the crawl for the whole.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DashboardView } from 'mannerly/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManyHosts, startHosts, startMannerly } from '../support/crawl-commands.js';

let place = '';
let web: ManyHosts;

describe.skipIf(process.platform !== 'linux')('--workers with --dashboard', () => {
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'mannerly-workers-view-'));
    web = await startHosts('127.0.9', 8, 1_000);
  });
  afterAll(async () => {
    await web.close();
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  });

  it('shows every worker, adds up their metrics, and pauses and stops all of them', { timeout: 240_000 }, async () => {
    const who = ['--name', 'crew', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
    const crawl = startMannerly(
      place,
      ...['crawl', ...web.seeds, ...who, '--out', 'crawl', '--interval', '0.1', '--pages', '100000'],
      ...['--workers', '3', '--dashboard', '--metrics'],
    );
    const [, address = '', token = ''] = await crawl.waitForStderr(/Live view: (\S+)\/\?token=(\S+)/);
    const headers = { authorization: `Bearer ${token}`, origin: address };
    const fetchText = async (path: string) => (await fetch(`${address}${path}`, { headers })).text();
    const act = async (verb: string) => fetch(`${address}/${verb}`, { method: 'POST', headers });
    const until = async (isSo: (view: DashboardView) => boolean): Promise<DashboardView> => {
      for (;;) {
        const view = JSON.parse(await fetchText('/view')) as DashboardView;
        if (isSo(view)) return view;
        await new Promise((done) => setTimeout(done, 50));
      }
    };
    await until(({ processes }) => processes.length === 3 && processes.every(({ requests }) => requests > 5));
    await act('pause');
    const isQuiet = ({ activity, processes, underwayCount }: DashboardView): boolean =>
      activity.phase === 'paused' && underwayCount === 0 && processes.every(({ phase }) => phase === 'paused');
    await until(isQuiet);
    const metricsOf = async () => {
      const text = await fetchText('/metrics');
      const of = (name: string) =>
        [...text.matchAll(new RegExp(`^${name}\\{[^}]*process="(worker \\d)"[^}]*\\} (\\d+)$`, 'gm'))].map(
          ([, process, value]) => [process, Number(value)] as const,
        );
      return { text, of };
    };
    // Workers report views and metrics once a second, each separately; during a pause the two agree soon.
    let [view, metrics] = [await until(isQuiet), await metricsOf()];
    const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    const sums = () => [
      sumOf(metrics.of('mannerly_requests_total').map(([, value]) => value)),
      sumOf(view.processes.map(({ requests }) => requests)),
      sumOf(view.hosts.map(({ tally }) => tally?.requests ?? 0)),
    ];
    const paused = () => sumOf(metrics.of('mannerly_paused').map(([, value]) => value));
    while (paused() < 3 || sums().some((sum) => sum !== view.progress.requests))
      [view, metrics] = [await until(isQuiet), await metricsOf()];
    expect(new Set(metrics.of('mannerly_requests_total').map(([process]) => process)).size).toBe(3);
    expect(metrics.text).toMatch(/^mannerly_pages_total \d+$/m);
    expect(metrics.text).toMatch(
      /^mannerly_request_duration_seconds_bucket\{le="0\.01",purpose="page",process="worker 1"\}/m,
    );
    expect(view.hosts).toHaveLength(8);
    const count = web.arrivals.length;
    await new Promise((done) => setTimeout(done, 500));
    expect(web.arrivals.length).toBe(count);

    await act('resume');
    await until(({ activity }) => activity.phase === 'running');
    await act('stop');
    expect((await crawl.ended).code).toBe(130);
  });
});
