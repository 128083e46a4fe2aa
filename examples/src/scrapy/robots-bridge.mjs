// Answers the questions of mannerly_robots.py: one line of JSON each, `{ body, url, userAgent }` with the body in hex.
// The answer to an invalid question is no.

import { createInterface } from 'node:readline';
import { compileRules, parseRobots } from '@mannerly/robots';
import { productTokenOf } from '@mannerly/robots/compat';

const MAX_FILES = 1_000;
const compiled = new Map();

function rulesOf(body, token) {
  const key = `${token} ${body}`;
  const known = compiled.get(key) ?? compileRules(parseRobots(Buffer.from(body, 'hex')), { tokens: token });
  if (compiled.size >= MAX_FILES) compiled.clear();
  compiled.set(key, known);
  return known;
}

for await (const line of createInterface({ input: process.stdin })) {
  let allowed = false;
  try {
    const { body, url, userAgent } = JSON.parse(line);
    allowed = rulesOf(body, productTokenOf(userAgent)).isAllowed(url);
  } catch (error) {
    console.error(`robots-bridge: ${error}`);
  }
  console.log(JSON.stringify({ allowed }));
}
