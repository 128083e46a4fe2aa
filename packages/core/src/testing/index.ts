// The test kit: `mannerly/testing`. For those who test what they built on Mannerly: a web without a network, time that
// passes by itself, and what must be true of the requests that a host saw.

export {
  type FakeAnswer,
  type FakeAnswerParts,
  type FakeRequest,
  type FakeRoute,
  type FakeRouteFunction,
  fakePage,
  fakeRedirect,
} from './fake-answer.js';
export { hostsFromArchive } from './fake-archive.js';
export {
  type CrawlerFakes,
  createFakeWeb,
  type FakeExchange,
  type FakeHost,
  type FakeWeb,
  type FakeWebOptions,
} from './fake-web.js';
export {
  assertKeepsGap,
  assertKeepsPace,
  assertNotRequested,
  assertOneAtATime,
  assertRequested,
  assertRobotsFirst,
  type SeenRequest,
  type SeenRequests,
} from './politeness-assertions.js';
export { type MatcherAnswer, type PolitenessMatchers, politenessMatchers } from './politeness-matchers.js';
export { crawlInVirtualTime, type FakeCrawl, type FakeCrawlOptions, runCrawl } from './run-crawl.js';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.js';
