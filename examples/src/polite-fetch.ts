// Ten pages without a crawl: a `fetch` that requests robots.txt first, waits for its host's turn, and names the line of
// robots.txt that disallows a URL.
//
//   npx -y pnpm@10 example polite-fetch

import { createPoliteFetch, PoliteFetchError } from 'mannerly/fetch';
import { network, seed } from './target.js';

const fetch = createPoliteFetch({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  network,
});
fetch.events.on('request', ({ url, gapMs }) => {
  console.log(
    `  requested ${url}${gapMs === null ? '' : `, ${gapMs >= 1_000 ? 'a second or more' : 'soon'} after the last`}`,
  );
});

for (const path of ['/guides/tides', '/staff/rota', '/prices']) {
  try {
    const response = await fetch(new URL(path, seed));
    const [, title] = /<title>(.*?)<\/title>/.exec(await response.text()) ?? [];
    console.log(`${path}  ${response.status}  ${title ?? ''}`);
  } catch (error) {
    if (!(error instanceof PoliteFetchError)) throw error;
    console.log(`${path}  ${error.reason}, line ${error.line}: ${error.pattern}`);
  }
}
await fetch.close();
