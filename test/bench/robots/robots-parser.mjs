/**
 * `robots-parser` (npm) for the robots benchmark.
 */
import robotsParser from 'robots-parser';

export const name = 'robots-parser';

export function parse(robots, origin) {
  return robotsParser(`${origin}/robots.txt`, robots);
}

/** From the bytes of a response; it compiles nothing. */
export function read(body, origin) {
  return robotsParser(`${origin}/robots.txt`, body.toString());
}

export function match(handle, agent, url) {
  return handle.isAllowed(url, agent) ?? true;
}
