// A response that is still fresh costs its site nothing: `fetch` keeps it as a browser would, by its Cache-Control. A
// URL that robots.txt disallows now is not answered from the cache either.
//
//   npx -y pnpm@10 example keep-responses

import { createPoliteFetch } from 'mannerly/fetch';
import { network, seed } from './target.js';

const fetch = createPoliteFetch({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  cache: true,
  // directory: 'kept' stores responses, robots.txt and the log for later runs of the script.
  network,
});
fetch.events.on('request', ({ url }) => console.log(`  requested ${url}`));

const page = new URL('/opening-hours', seed);
for (const [what, init] of [
  ['the first time', {}],
  ['again', {}],
  ['asking whether it has changed', { headers: { 'cache-control': 'no-cache' } }],
] as const) {
  const response = await fetch(page, init);
  console.log(`${what}: ${response.status}, ${(await response.text()).length > 0 ? 'with its text' : 'empty'}`);
}
await fetch.close();
