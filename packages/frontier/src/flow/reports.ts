// What the owner passes in, checked before it changes anything: an exchange, a settlement, URLs, records. A wrong value
// would free a host too early, stop the store, or be kept in it and not be readable later.

import { invalid } from '../option-value.js';
import type { NewUrl } from '../url-record.js';
import type { Exchange, Settlement } from '../work.js';
import { MAX_EPOCH_MS } from './limits.js';

type RobotsAnswer = Extract<Settlement, { kind: 'robots' }>['answer'];

/** @throws FrontierError `option-invalid` */
export function checkUrls(name: string, urls: readonly NewUrl[]): void {
  if (!Array.isArray(urls)) throw invalid(name, 'a list of objects with a `url`', urls);
  const each = `${name}[]`;
  for (const url of urls as readonly NewUrl[]) checkUrl(each, url);
}

/** @throws FrontierError `option-invalid` */
export function checkUrl(name: string, given: NewUrl): void {
  if (typeof given?.url !== 'string') throw invalid(name, 'an object with a `url`', given);
  const { depth, via, notBeforeMs, visit = 0, url } = given;
  if (!Number.isSafeInteger(depth) || depth < 0) throw invalid(`depth\` of \`${url}`, 'a whole number from 0', depth);
  if (typeof via !== 'string') throw invalid(`via\` of \`${url}`, 'how the URL was found, such as `link`', via);
  if (notBeforeMs !== undefined) checkTime(`notBeforeMs\` of \`${url}`, notBeforeMs);
  if (!Number.isSafeInteger(visit) || visit < 0) throw invalid(`visit\` of \`${url}`, 'a whole number from 0', visit);
}

/**
 * The exchange with an absent status, Retry-After and failure as `null`.
 *
 * @throws FrontierError `option-invalid`
 */
export function checkedExchange(exchange: Exchange): Exchange {
  if (typeof exchange !== 'object' || exchange === null) throw invalid('exchange', 'an object', exchange);
  const { status = null, retryAfter = null, failure = null, bytes, parks } = exchange;
  if (status !== null && !Number.isSafeInteger(status))
    throw invalid('exchange.status', 'a whole number or null', status);
  checkTextOrNull('exchange.retryAfter', retryAfter);
  checkTextOrNull('exchange.failure', failure);
  if (!Number.isFinite(bytes) || bytes < 0) throw invalid('exchange.bytes', 'a number from 0', bytes);
  if (parks !== undefined && typeof parks !== 'string') throw invalid('exchange.parks', 'a reason or undefined', parks);
  return { ...exchange, status, retryAfter, failure };
}

/** @throws FrontierError `option-invalid` */
export function checkSettlement(settlement: Settlement): void {
  if (typeof settlement !== 'object' || settlement === null) throw invalid('settlement', 'an object', settlement);
  switch (settlement.kind) {
    case 'done':
      if (typeof settlement.countsAsPage !== 'boolean')
        throw invalid('countsAsPage', 'true or false', settlement.countsAsPage);
      checkUrls('links', settlement.links);
      break;
    case 'again':
      checkTime('notBeforeMs', settlement.notBeforeMs);
      break;
    case 'returned':
      if (settlement.untilMs !== null) checkTime('untilMs', settlement.untilMs);
      break;
    case 'robots':
      checkAnswer(settlement.answer);
      break;
    case 'refused':
      if (typeof settlement.reason !== 'string') throw invalid('reason', 'text', settlement.reason);
  }
}

/** @throws FrontierError `option-invalid` */
export function checkRecord(key: string, value: Uint8Array | null): void {
  if (typeof key !== 'string') throw invalid('key', 'text', key);
  if (value !== null && !(value instanceof Uint8Array)) throw invalid('value', 'a Uint8Array', value);
}

function checkAnswer(answer: RobotsAnswer): void {
  if (typeof answer !== 'object' || answer === null) throw invalid('answer', 'an object', answer);
  if (answer.kind === 'redirect-limit' || answer.kind === 'failure') return;
  if (answer.kind !== 'response')
    throw invalid('answer.kind', 'one of response, failure, redirect-limit', (answer as { kind?: unknown }).kind);
  const { status, headers, body } = answer;
  if (!Number.isSafeInteger(status)) throw invalid('answer.status', 'a whole number', status);
  if (!(body instanceof Uint8Array)) throw invalid('answer.body', 'the bytes of the body, as a Uint8Array', body);
  // The names of a `Headers` object are not its keys: a redirect would lead nowhere.
  const isPlain = typeof headers === 'object' && headers !== null && !(Symbol.iterator in headers);
  if (!isPlain) throw invalid('answer.headers', 'a plain object', headers);
  for (const [name, value] of Object.entries(headers)) {
    if (name !== name.toLowerCase()) throw invalid('answer.headers', 'an object with lower-case names', name);
    if (value !== undefined && typeof value !== 'string' && name !== 'set-cookie')
      throw invalid(`answer.headers['${name}']`, 'text', value);
  }
}

function checkTime(name: string, ms: number): void {
  if (typeof ms !== 'number' || !(Math.abs(ms) <= MAX_EPOCH_MS)) throw invalid(name, 'epoch milliseconds', ms);
}

function checkTextOrNull(name: string, value: string | null): void {
  if (value !== null && typeof value !== 'string') throw invalid(name, 'text or null', value);
}
