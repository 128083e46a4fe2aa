/**
 * `robots-parser` (npm) for the robots benchmark.
 */
import robotsParser from 'robots-parser';

export const name = 'robots-parser';

export function parse(robots, origin) {
  return robotsParser(`${origin}/robots.txt`, robots);
}

/** From the bytes of a response to one decision per URL. */
export function read(body, origin, urls) {
  const robots = robotsParser(`${origin}/robots.txt`, body.toString());
  for (const url of urls) robots.isAllowed(url, 'mannerly-bench');
}

export function match(handle, agent, url) {
  return handle.isAllowed(url, agent) ?? true;
}
