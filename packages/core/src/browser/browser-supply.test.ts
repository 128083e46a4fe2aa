// At stake: a browser that dies must not end the crawl, and one that dies again and again must not be started for ever.

import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createBrowserSupply } from './browser-supply.js';
import { SEALED_FLAGS } from './seal.js';

class FakeBrowser {
  isLive = true;
  closed = 0;
  readonly newContext = (): never => expect.unreachable();
  isConnected(): boolean {
    return this.isLive;
  }
  async close(): Promise<void> {
    this.isLive = false;
    this.closed += 1;
  }
}

function scene(restarts: number, fails: (start: number) => boolean = () => false) {
  const started: FakeBrowser[] = [];
  const flags: string[][] = [];
  const launch = async (given: string[]): Promise<Browser> => {
    flags.push(given);
    if (fails(flags.length)) throw new Error('no such program');
    const browser = new FakeBrowser();
    started.push(browser);
    return browser as unknown as Browser;
  };
  return { supply: createBrowserSupply({ source: { kind: 'launch', launch }, restarts }), started, flags };
}

describe('a supply that starts browsers', () => {
  it('starts one without network when it is first needed, for all who need it', async () => {
    const { supply, started, flags } = scene(3);
    expect(started).toHaveLength(0);
    const [one, two] = await Promise.all([supply.take(), supply.take()]);
    expect([one, two, await supply.take()]).toEqual(Array(3).fill({ kind: 'browser', browser: started[0] }));
    expect(flags).toEqual([SEALED_FLAGS]);
    await supply.close();
    expect(started.map(({ closed }) => closed)).toEqual([1]);
  });

  it('starts another when one has died, up to a bound', async () => {
    const { supply, started } = scene(1);
    await supply.take();
    (started[0] as FakeBrowser).isLive = false;
    expect(await supply.take()).toEqual({ kind: 'browser', browser: started[1] });
    await supply.discard(started[1] as unknown as Browser);
    expect(started[1]?.closed).toBe(1);
    expect(await supply.take()).toEqual({ kind: 'none', detail: '2 browsers are gone, and no other is started' });
    await supply.close();
  });

  it('tries again if one does not start, up to the same bound, and says why none could', async () => {
    const { supply, started } = scene(3, (start) => start === 1);
    expect(await supply.take()).toEqual({ kind: 'browser', browser: started[0] });
    await supply.close();
    const without = scene(3, () => true);
    expect(await without.supply.take()).toEqual({ kind: 'none', detail: 'no such program' });
    expect(without.flags).toHaveLength(4);
    const message =
      'launch: has been closed\nBrowser logs:\n<launched> pid=1\n[pid=1][err] cannot open libnss3.so\nlog';
    const launch = (): Promise<Browser> => Promise.reject(new Error(message));
    const none = { kind: 'none', detail: 'launch: has been closed: cannot open libnss3.so' };
    expect(await createBrowserSupply({ source: { kind: 'launch', launch }, restarts: 0 }).take()).toEqual(none);
  });
});

it.each([
  ['nothing, since a `return` is missing', undefined, 'got undefined'],
  ['a browser of another library', { newPage: () => null, close: async () => undefined }, 'got {}'],
])('says what `launch` has to return if it returns %s', async (_what, returned, says) => {
  const launch = async (): Promise<Browser> => returned as unknown as Browser;
  const supply = createBrowserSupply({ source: { kind: 'launch', launch }, restarts: 3 });
  const message = `expected \`browserFetcher.launch\` to be a function that resolves to a Browser, ${says}`;
  const refused = { code: 'option-invalid', message, hint: expect.stringContaining('chromium.launch') };
  await expect(supply.take()).rejects.toMatchObject(refused);
  await supply.close();
});

it('a browser of the user is neither closed nor started again', async () => {
  const browser = new FakeBrowser();
  const source = { kind: 'browser', browser: browser as unknown as Browser } as const;
  const supply = createBrowserSupply({ source, restarts: 3 });
  expect(await supply.take()).toEqual({ kind: 'browser', browser });
  await supply.discard(source.browser);
  await supply.close();
  expect(browser.closed).toBe(0);
  browser.isLive = false;
  expect(await supply.take()).toEqual({ kind: 'none', detail: 'the browser that was handed in is gone' });
});
