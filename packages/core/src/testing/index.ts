// The test kit: `mannerly/testing`. For testing programs built on Mannerly: a web without a network, time that passes
// by itself, and assertions about the requests that a host received.

export { type FakeAnswer, type FakeRequest, type FakeRoute, fakePage, fakeRedirect } from './fake-answer.js';
export { hostsFromArchive } from './fake-archive.js';
export { createFakeWeb, type FakeExchange, type FakeHost, type FakeWeb } from './fake-web.js';
export {
  assertKeepsGap,
  assertKeepsPace,
  assertNotRequested,
  assertOneAtATime,
  assertRequested,
  assertRobotsFirst,
  type PolitenessMatchers,
  politenessMatchers,
  type SeenRequest,
} from './politeness-assertions.js';
export { crawlInVirtualTime, type FakeCrawl, runCrawl } from './run-crawl.js';
export { createVirtualClock, type VirtualClock } from './virtual-clock.js';
