// Crawlee's `RobotsTxtFile` over @mannerly/robots: the same methods, with a robots.txt that fails as hold instead of as
// "everything is allowed". Use it in a `preNavigationHook`, with `respectRobotsTxtFile` off.

import { createRobotsClient } from '@mannerly/robots/client';

const identity = { name: 'examplebot', contact: 'https://example.org/bot' };

/** As Crawlee's class: found for a URL, then asked about others of the same site. */
export class RobotsTxtFile {
  readonly #sitemaps: readonly string[];
  readonly #client: ReturnType<typeof createRobotsClient>;

  private constructor(client: ReturnType<typeof createRobotsClient>, sitemaps: readonly string[]) {
    this.#client = client;
    this.#sitemaps = sitemaps;
  }

  static async find(url: string, client = createRobotsClient({ identity })): Promise<RobotsTxtFile> {
    const { rules } = await client.check(url);
    return new RobotsTxtFile(client, rules?.document.sitemaps ?? []);
  }

  /** A promise here, since the answer may have to be asked for again. */
  isAllowed(url: string): Promise<boolean> {
    return this.#client.isAllowed(url);
  }

  getSitemaps(): string[] {
    return [...this.#sitemaps];
  }
}

// import { CheerioCrawler } from 'crawlee';
//
// const robots = createRobotsClient({ identity });
// const crawler = new CheerioCrawler({
//   preNavigationHooks: [
//     async ({ request }) => {
//       const { answer, reason, untilMs } = await robots.check(request.url);
//       if (answer === 'deny') request.noRetry = true;
//       if (answer !== 'allow') throw new Error(`robots.txt: ${answer} (${reason}), until ${untilMs}`);
//     },
//   ],
// });
