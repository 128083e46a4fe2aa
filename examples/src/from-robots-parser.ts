// Moving from `robots-parser`: the same questions with @mannerly/robots. Parsing and deciding are two steps, because a
// file is parsed once and may be used for crawlers with several names. The answer has its reason.

import { compileRules, parseRobots } from '@mannerly/robots';
import { explain } from '@mannerly/robots/explain';
import { siteFields } from '@mannerly/robots/site-fields';

const robotsUrl = 'https://example.com/robots.txt';
const body = `User-agent: examplebot
Disallow: /private/
Allow: /private/press/
Crawl-delay: 2

Sitemap: https://example.com/sitemap.xml
`;

// const robots = robotsParser(robotsUrl, body)
const document = parseRobots(body, { robotsUrl });
const rules = compileRules(document, { tokens: 'examplebot' });

// robots.isAllowed(url, 'ExampleBot/1.0')        true, false, or undefined for another host
//   The rules are those of one authority, and the caller chooses the right file for a URL: `undefined` is easily
//   mistaken for "no rules, go ahead". The token is the bare name, checked when rules are compiled.
const url = 'https://example.com/private/report.pdf';
console.log(rules.isAllowed(url) ? 'allowed' : 'not allowed');

// robots.isDisallowed(url, agent)
console.log(!rules.isAllowed(url));

// robots.getMatchingLineNumber(url, agent)       a number, -1 for none
const decision = rules.decide(url);
console.log(`line ${decision.line}: ${decision.pattern} (${decision.reason})`);
console.log(explain(rules, 'https://example.com/private/press/2026').sentence);

// robots.getCrawlDelay(agent)                    seconds or undefined
console.log(rules.crawlDelayMs === null ? 'no delay asked for' : `${rules.crawlDelayMs} ms`);

// robots.getSitemaps() and robots.getPreferredHost()
console.log(document.sitemaps, siteFields(document).host);

// robots.isExplicitlyDisallowed(url, agent)      the group must name the agent
console.log(!decision.allowed && decision.agent !== '*');
