/** "May I fetch this URL?" in two lines: robots.txt is fetched, kept and followed. */
export {
  createRobotsClient,
  type RobotsClient,
  type RobotsClientOptions,
  type UrlCheck,
} from './robots-client.js';
