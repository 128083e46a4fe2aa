// What licence documents mean for a URL and for the declared purposes of a crawl: one outcome for the URL, and its
// effect. Pure: nothing is fetched here, and nothing here permits what robots.txt denies (licensing §4, §9).

import { matchesPattern } from '@mannerly/robots/matches-pattern';
import type { Purpose } from '@mannerly/robots/page';
import { parseUrl } from '../parse-url.js';
import { present } from '../present.js';
import type { LicensedContent, LicenseElement, LicenseReading } from './license-document.js';

/** What is known about the licence of a URL; later outcomes are stricter. */
export const LICENSE_OUTCOMES = [
  /** No licence is named, or none covers this use. */
  'none',
  'free',
  'attribution',
  /** Terms to be agreed to, or duties: `custom`, `standard`, `legal`, a contribution, a report. */
  'terms',
  'payment',
  /** A licence must be obtained at a server first, even a free one. */
  'token',
  /** A document is named but was not requested. */
  'unread',
  /** A document is named but cannot be read, which RSL calls unlicensed. */
  'unreadable',
  'prohibited',
] as const;

type LicenseOutcome = (typeof LICENSE_OUTCOMES)[number];

/** The party responsible for a crawl, in the terms of RSL. */
export interface LicenseParty {
  /** @default none: a licence that mentions it is not met */
  readonly user?: 'commercial' | 'non-commercial' | 'education' | 'government' | 'personal';
  /** ISO 3166-1 alpha-2, such as `DE`. @default none: a licence that mentions it is not met */
  readonly country?: string;
}

export interface LicenseUser {
  readonly purposes: readonly Purpose[];
  readonly party: LicenseParty;
  /** URLs of documents whose terms a person has accepted. */
  readonly accepted: readonly string[];
  /** The https origins for which a token is configured that has not ended. */
  readonly licensedOrigins: readonly string[];
  /** `permits` is read literally for uses that RSL has no word for (C15). */
  readonly isStrict: boolean;
}

export interface NamedLicense {
  /** The URL of the document; if it is embedded in a page, the URL of the page. */
  readonly document: string;
  readonly reading: LicenseReading | null;
}

export interface LicenseVerdict {
  readonly outcome: LicenseOutcome;
  /** The effect on the crawl: none, held until a person acts, or prohibited. */
  readonly effect: 'none' | 'held' | 'prohibited';
  /** The document that decided; `null` if none is named. */
  readonly document: string | null;
  /** The element that decided, `content[2]/license[1]`; `null` if none did. */
  readonly element: string | null;
  /** The price, `0.015 USD`; `null` if there is none, or none that can be read. */
  readonly price: string | null;
  /** Where a licence must be obtained; absent: nowhere, or its address cannot be read. */
  readonly server?: string;
  /** The purpose that decided; `null` if none is declared. */
  readonly purpose: Purpose | null;
}

/** One use of one URL. */
interface Use {
  readonly word: string;
  /** `null`: it cannot be parsed. */
  readonly target: URL | null;
  /** Whether a token is configured for its origin. It stands for a payment made and a licence obtained (C7). */
  readonly hasToken: boolean;
  readonly user: LicenseUser;
}

/** What one document says about one use. */
type Statement = Pick<LicenseVerdict, 'outcome' | 'element' | 'price' | 'server'>;

/** The uses that a purpose needs. A store that feeds a model is an index of that system (C6). */
const USAGES: Readonly<Record<Purpose, readonly string[]>> = {
  search: ['search'],
  'ai-train': ['ai-train'],
  'ai-input': ['ai-input', 'ai-index'],
  tdm: ['all'],
  archive: ['all'],
  other: ['all'],
};
const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = {
  'ai-train': ['ai-all', 'all'],
  'ai-input': ['ai-all', 'all'],
  'ai-index': ['ai-all', 'all'],
  'ai-all': ['all'],
  search: ['all'],
};
const EU = new Set('at be bg hr cy cz de dk ee es fi fr gr hu ie it lt lu lv mt nl pl pt ro se si sk'.split(' '));
/** Types of payment that cost no money; any other type does, including unknown ones. */
const UNPAID: readonly string[] = ['free', 'attribution', 'contribution'];
const NO_STATEMENT: Statement = { outcome: 'none', element: null, price: null };
const NO_VERDICT: LicenseVerdict = { ...NO_STATEMENT, effect: 'none', document: null, purpose: null };
const EFFECTS = ['none', 'held', 'prohibited'] as const;

/**
 * The strictest verdict over all documents and purposes. Without a purpose there is an outcome for people and no
 * effect.
 * @param url - Absolute; a URL that cannot be parsed counts as prohibited.
 */
export function assessLicenses(url: string, documents: readonly NamedLicense[], user: LicenseUser): LicenseVerdict {
  const purposes = user.purposes.length === 0 ? [null] : user.purposes;
  const target = parseUrl(url);
  const hasToken = user.licensedOrigins.includes(target?.origin ?? '');
  let strictest = NO_VERDICT;
  for (const { document, reading } of documents) {
    for (const purpose of purposes) {
      const uses = USAGES[purpose ?? 'other'].map((word) => ({ word, target, hasToken, user }));
      const statement = uses.map((use) => statementOf(reading, use)).reduce(stricter);
      const isUnknown = reading?.kind === 'unreadable' && reading.isTemporary === true;
      const known = effectOf(statement.outcome, purpose, user.accepted.includes(document));
      const effect = isUnknown && purpose !== null ? 'held' : known;
      const verdict = { ...statement, effect, document, purpose };
      if (strictest.document === null || strictness(verdict) > strictness(strictest)) strictest = verdict;
    }
  }
  return strictest;
}

/** Compares the effect first. */
function strictness({ effect, outcome }: LicenseVerdict): number {
  return EFFECTS.indexOf(effect) * LICENSE_OUTCOMES.length + LICENSE_OUTCOMES.indexOf(outcome);
}

/** The table of licensing §9. */
function effectOf(outcome: LicenseOutcome, purpose: Purpose | null, isAccepted: boolean): LicenseVerdict['effect'] {
  if (purpose === null) return 'none';
  const isAi = purpose === 'ai-train' || purpose === 'ai-input';
  switch (outcome) {
    case 'prohibited':
      return 'prohibited';
    case 'payment':
    case 'token':
      return 'held';
    case 'terms':
      return isAi && !isAccepted ? 'held' : 'none';
    case 'unreadable':
      return isAi ? 'held' : 'none';
    default:
      return 'none';
  }
}

/** Prohibitions of all contents count, but only the permissions of the narrowest content that covers the use. */
function statementOf(reading: LicenseReading | null, use: Use): Statement {
  if (reading === null) return { ...NO_STATEMENT, outcome: 'unread' };
  if (reading.kind === 'unreadable') return { ...NO_STATEMENT, outcome: 'unreadable' };
  const matching = reading.contents.flatMap((content, at) => {
    const length = matchLength(content.url, use.target);
    return length === null ? [] : [{ content, length, name: `content[${at + 1}]` }];
  });
  for (const { content, name } of matching) {
    const at = content.licenses.findIndex(({ prohibits }) => isListed(prohibits.usage, use.word));
    if (at >= 0) return { ...NO_STATEMENT, outcome: 'prohibited', element: `${name}/license[${at + 1}]` };
  }
  let narrowest = -1;
  let statement = NO_STATEMENT;
  for (const { content, length, name } of matching) {
    if (length < narrowest) continue;
    const offer = findOffer(content, name, use);
    if (offer === null) continue;
    statement = length > narrowest ? offer : stricter(statement, offer);
    narrowest = length;
  }
  return statement;
}

/** The least that a content requires for a use, over its licences; `null` if it does not cover the use. */
function findOffer({ licenses, server }: LicensedContent, name: string, use: Use): Statement | null {
  const { word, user } = use;
  let best: Statement | null = null;
  let isCovered = false;
  licenses.forEach((license, at) => {
    const { permits, payment } = license;
    const isPermitted = permits.usage === undefined || isListed(permits.usage, word);
    // RSL has no word for these uses, and documents in practice mean AI (C15).
    if (word === 'all' && !isPermitted && !user.isStrict) return;
    isCovered = true;
    if (!isPermitted || !isEligible(license, user.party)) return;
    const outcome = offerOutcome(server, license, use);
    const address = outcome === 'token' ? parseUrl(server ?? '')?.href : undefined;
    const offer = { outcome, element: `${name}/license[${at + 1}]`, price: payment.amount };
    const statement: Statement = { ...offer, ...present({ server: address }) };
    if (best === null || stricter(statement, best) === best) best = statement;
  });
  return best ?? (isCovered ? { ...NO_STATEMENT, outcome: 'prohibited', element: name } : null);
}

/** The price of a licence that applies. */
function offerOutcome(server: string | null, license: LicenseElement, { hasToken }: Use): LicenseOutcome {
  const { type, terms, amount } = license.payment;
  if (server !== null && !hasToken) return 'token';
  // A price counts, whatever the type says. A contribution is agreed to as terms.
  const isPaid = !UNPAID.includes(type) || (type !== 'contribution' && /[1-9]/.test(amount ?? ''));
  if (isPaid && !hasToken) return 'payment';
  if (type === 'contribution' || terms.length > 0 || license.hasDuties) return 'terms';
  return type === 'attribution' ? type : 'free';
}

/** Whether the party matches: a condition on something unknown is not met. */
function isEligible({ permits, prohibits }: LicenseElement, { user, country }: LicenseParty): boolean {
  const includesGroup = (words: readonly string[], own: string | undefined): boolean =>
    own !== undefined && words.some((word) => word === own || (word === 'eu' && EU.has(own)));
  for (const [kind, own] of [['user', user] as const, ['geo', country?.toLowerCase()] as const]) {
    const [allowed, refused] = [permits[kind], prohibits[kind]];
    if (allowed !== undefined && !includesGroup(allowed, own)) return false;
    if (refused !== undefined && (own === undefined || includesGroup(refused, own))) return false;
  }
  return true;
}

/** Whether a list has a word, or one that includes it. */
function isListed(list: readonly string[] | undefined, word: string): boolean {
  return list !== undefined && [word, ...(INCLUDED_IN[word] ?? [])].some((each) => list.includes(each));
}

/**
 * How long the path pattern of a content is if it matches the URL; `null` if not. A pattern is a path of the document's
 * own site, or absolute; then its scheme does not count. An empty one is the page that contains it.
 */
function matchLength(pattern: string, target: URL | null): number | null {
  if (pattern === '' || target === null) return 0;
  const [, host, rest = pattern] = /^https?:\/\/([^/?#]+)([^#]*)/i.exec(pattern) ?? [];
  if (host !== undefined && parseUrl(`${target.protocol}//${host}`)?.host !== target.host) return null;
  const path = rest || '/';
  return matchesPattern(path, target.pathname + target.search) ? path.length : null;
}

function stricter<T extends Statement>(left: T, right: T): T {
  return LICENSE_OUTCOMES.indexOf(right.outcome) > LICENSE_OUTCOMES.indexOf(left.outcome) ? right : left;
}
