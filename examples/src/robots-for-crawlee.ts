// Crawlee's `RobotsTxtFile` with @mannerly/robots: the same methods, but a robots.txt that fails means hold instead of
// "everything is allowed". Use it in a `preNavigationHook`, with `respectRobotsTxtFile` off.

import { createRobotsClient } from '@mannerly/robots/client';

const identity = { name: 'examplebot', contact: 'https://example.org/bot' };

/** Like Crawlee's class: made for a URL, then used for others of the same site. */
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

  /** Returns a promise, because robots.txt may have to be requested again. */
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
