/**
 * `@mannerly/robots` for the robots benchmark, with its defaults (RFC 9309, policy `declared`).
 */
import { createRulesCompiler, parseRobots } from '@mannerly/robots';

export const name = '@mannerly/robots';

const compilers = new Map();
const robotsUrls = new Map();

/** A parsed file; its rules are compiled on first use, and kept. */
export function parse(robots, origin) {
  return { document: parseRobots(robots, { robotsUrl: robotsUrlOf(origin) }), rules: null };
}

/** From the bytes of a response to compiled rules and one decision per URL. */
export function read(body, origin, urls) {
  const rules = compilerFor('mannerly-bench')(parseRobots(body, { robotsUrl: robotsUrlOf(origin) }));
  for (const url of urls) rules.isAllowed(url);
}

export function match(handle, agent, url) {
  handle.rules ??= compilerFor(agent)(handle.document);
  return handle.rules.isAllowed(url);
}

/** A crawler has one identity, so it has one compiler. */
function compilerFor(agent) {
  let compile = compilers.get(agent);
  if (compile === undefined) {
    compile = createRulesCompiler({ tokens: agent });
    compilers.set(agent, compile);
  }
  return compile;
}

/** One string for the whole corpus: all of its files have the same origin. */
function robotsUrlOf(origin) {
  let url = robotsUrls.get(origin);
  if (url === undefined) {
    url = `${origin}/robots.txt`;
    robotsUrls.set(origin, url);
  }
  return url;
}
