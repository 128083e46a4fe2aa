// What a crawler publishes about itself: the card for registries (specification, identity 8) and the page for people.

import { DIRECTORY_PATH } from '../signatures/profile.js';

export interface PublishedIdentity {
  readonly name: string;
  readonly contact: string;
  readonly userAgent: string;
  readonly tokens: readonly string[];
  readonly purposes: readonly string[];
  /** Ranges of addresses; if there are none, no list is published. */
  readonly egress: readonly string[];
  /** The domain of the names of these addresses; `null` if none is stated. */
  readonly domain: string | null;
  /** The page for people, if it is not that of the folder. */
  readonly page: string | null;
  /** The least time between two requests to a host, milliseconds. */
  readonly minIntervalMs: number;
  /** The agent of signatures: a key directory at the root or at the well-known path of its host. */
  readonly agent: URL;
}

export const FILES = {
  directory: DIRECTORY_PATH.slice(1),
  root: 'index.json',
  card: 'card.json',
  addresses: 'ips.json',
  page: 'about.html',
} as const;

const RATE_CONTROL = '429, Retry-After, Crawl-delay, Request-rate, Visit-time';

export function identityCard(identity: PublishedIdentity): string {
  const { name, contact, tokens, purposes, egress, agent, page, minIntervalMs } = identity;
  const at = (file: string): string => `${agent.origin}/${file}`;
  const card = {
    client_id: at(FILES.card),
    client_name: name,
    client_uri: page ?? at(FILES.page),
    contacts: [contactUri(contact)],
    jwks_uri: at(FILES.directory),
    web_bot_auth: {
      'expected-user-agent': `${name}/*`,
      'rfc9309-product-token': tokens[0],
      'rfc9309-compliance': true,
      trigger: 'crawler',
      ...(purposes.length === 0 ? {} : { purpose: purposes.join(', ') }),
      'targeted-content': '/robots.txt',
      'rate-control': RATE_CONTROL,
      ...(minIntervalMs === 0 ? {} : { 'rate-expectation': rateExpectation(minIntervalMs) }),
      ...(egress.length === 0 ? {} : { ips_uri: at(FILES.addresses) }),
    },
  };
  return `${JSON.stringify(card, null, 2)}\n`;
}

/** Rounded up, so that the crawler never sends more. */
function rateExpectation(intervalMs: number): string {
  return `max=${Math.ceil(100_000 / intervalMs) / 100}rps per host`;
}

/** The page as it is served: one file without script. @param keyids - The thumbprints of the listed keys. */
export function identityPage(identity: PublishedIdentity, keyids: readonly string[]): string {
  const { name, contact, userAgent, tokens, purposes, egress, domain, agent } = identity;
  const [token = name] = tokens;
  const listed = egress.length > 0;
  const uses = purposes.length === 0 ? 'No purpose is declared; ask the contact.' : `Declared: ${purposes.join(', ')}.`;
  const terms =
    purposes.length === 0
      ? ''
      : ` For its purposes, it obeys <code>Content-Usage</code>, <code>Content-Signal</code> and <code>License</code>
(RSL) in robots.txt and in answers, licences that pages link to, and reservations of text and data mining (TDMRep).`;
  const keys = keyids.map((keyid) => `<li><code>${escaped(keyid)}</code></li>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)}, a crawler</title>
<style>body { max-width: 45rem; margin: auto; padding: 1rem; overflow-wrap: anywhere }</style>
${listed ? `<link rel="client-ranges" href="/${FILES.addresses}">\n` : ''}</head>
<body>
<h1>${escaped(name)}</h1>
<p>A crawler. It sends <code>${escaped(userAgent)}</code> as its User-Agent with every request.</p>
<h2>Who</h2>
<p>Its people can be reached at <a href="${escaped(contactUri(contact))}">${escaped(contact)}</a>.</p>
<h2>Why, and what happens to the data</h2>
<p>${escaped(uses)}</p>
<h2>How to stop it</h2>
<p>Write this into the robots.txt of your host. It closes the whole host; name a path to close less.</p>
<pre>User-agent: ${escaped(token)}
Disallow: /</pre>
<p>It reads a robots.txt again within a day. To test a file first: <code>mannerly robots robots.txt
https://your-host.example/page --agent ${escaped(token)}</code>.</p>
<h2>What it obeys</h2>
<p>In robots.txt: <code>User-agent</code>, <code>Allow</code>, <code>Disallow</code>, <code>Crawl-delay</code>,
<code>Request-rate</code> and <code>Visit-time</code>. In answers: <code>X-Robots-Tag</code>,
<code>Retry-After</code>, and the statuses 429 and 503. In pages: the meta element <code>robots</code>, and
<code>nofollow</code> of links. It sends one request at a time to a host.${terms}</p>
<h2>How to recognize it</h2>
<p>In logs: <code>^${escaped(name)}/[\\w.+-]+ \\(\\+</code>. A name can be imitated, a signature cannot: its https
requests are signed (RFC 9421, tag <code>web-bot-auth</code>) with keys that
<a href="/${FILES.directory}">this directory</a> lists:</p>
<ul>${keys}</ul>
<p>The <code>Signature-Agent</code> of its requests names ${escaped(agent.host)}.${
    listed ? ` Its requests come from <a href="/${FILES.addresses}">these addresses</a>.` : ''
  }${domain === null ? '' : ` The names of its addresses end in <code>.${escaped(domain)}</code>, and lead back to them.`}</p>
</body>
</html>
`;
}

/** Puts `mailto:` before a mailbox. */
function contactUri(contact: string): string {
  return /^https?:/i.test(contact) ? contact : `mailto:${contact}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
