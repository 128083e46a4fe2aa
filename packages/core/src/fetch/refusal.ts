// Answers that refuse a page in a special way: with a price, or with a challenge that only a person in a browser
// passes. The crawl pays nothing and solves nothing, but reports what was demanded. The site's text is untrusted.

import { MAX_OFFER_CHARS, MAX_OFFERS, MAX_REFUSAL_DETAIL } from './limits.js';
import { challengeField, headerValue, headerValues, type ResponseOutcome } from './outcome.js';

export interface SiteRefusal {
  readonly reason: 'payment-required' | 'challenged' | 'charged-unasked' | 'sign-in-refused';
  /** The price with its kind of payment, what was charged, or the field that presents the challenge. */
  readonly detail: string;
}

/** The refusal in a response; `null`: it has none of these. Never throws. */
export function refusalOf(
  outcome: Pick<ResponseOutcome, 'status' | 'headers' | 'body' | 'signInRefused'>,
): SiteRefusal | null {
  if (outcome.signInRefused !== undefined) return { reason: 'sign-in-refused', detail: outcome.signInRefused };
  const field = challengeField(outcome);
  if (field !== null) return { reason: 'challenged', detail: field };
  const charged = headerValue(outcome.headers, 'crawler-charged');
  if (charged !== null) return { reason: 'charged-unasked', detail: charged.slice(0, MAX_REFUSAL_DETAIL) };
  const isOffer = outcome.status === 402 || (outcome.status === 401 && licenseChallenge(outcome) !== null);
  if (!isOffer) return null;
  return { reason: 'payment-required', detail: offerOf(outcome).slice(0, MAX_REFUSAL_DETAIL) };
}

/** `WWW-Authenticate: License`, with the licence that a `Link` of the answer names; `null`: absent. */
function licenseChallenge({ headers }: Pick<ResponseOutcome, 'headers'>): string | null {
  const challenge = headerValues(headers, 'www-authenticate').find((each) => /^\s*license\b/i.test(each));
  if (challenge === undefined) return null;
  const license = headerValues(headers, 'link').find((each) => /;\s*rel="?license\b/i.test(each));
  return [challenge.trim(), ...(license === undefined ? [] : [license.trim()])].join(', ');
}

/** What a 402 demands, with the kind of its offer. */
function offerOf({ headers, body }: Pick<ResponseOutcome, 'headers' | 'body'>): string {
  const price = headerValue(headers, 'crawler-price');
  const error = headerValue(headers, 'crawler-error');
  if (price !== null) return `pay-per-crawl: ${price}${error === null ? '' : ` (${error})`}`;
  const required = headerValue(headers, 'payment-required');
  if (required !== null && required.length <= MAX_OFFER_CHARS) {
    const offer = x402(Buffer.from(required, 'base64'));
    if (offer !== null) return `x402: ${offer}`;
  }
  const license = licenseChallenge({ headers });
  if (license !== null) return `rsl: ${license}`;
  const offer = body.length <= MAX_OFFER_CHARS ? x402(body) : null;
  if (offer !== null) return `x402-v1: ${offer}`;
  const challenge = headerValue(headers, 'www-authenticate');
  return `unknown${challenge === null ? '' : `: ${challenge}`}`;
}

/** The entries of an x402 offer, each as `amount asset network`; `null`: the bytes are not an offer. */
function x402(bytes: Uint8Array): string | null {
  let offer: { readonly accepts?: unknown } | null;
  try {
    offer = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
  if (!Array.isArray(offer?.accepts)) return null;
  const entries = offer.accepts.slice(0, MAX_OFFERS).flatMap((entry: Readonly<Record<string, unknown>> | null) => {
    const amount = entry?.['amount'] ?? entry?.['maxAmountRequired'];
    const terms = [amount, entry?.['asset'], entry?.['network']].filter((each) => typeof each === 'string');
    return terms.length === 0 ? [] : terms.join(' ');
  });
  return entries.length === 0 ? null : entries.join(', ');
}
