// Access to the dashboard: requests with the token, to one of our addresses, from one of our pages. Pure; fails closed.
//
// The attacker is a page in the operator's own browser: it can send requests to 127.0.0.1 by number or by a rebound
// name (so the Host field is checked), post forms (so the Origin is checked) and guess ports, but it does not know the
// token. Nothing is allowed across origins: there are no CORS fields, and preflights are not answered.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';

export interface AccessRequest {
  readonly method: string;
  /** As received; repeated fields are not a single text. */
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly authorization: string | undefined;
  /** `token` of the query; `null` if absent. */
  readonly queryToken: string | null;
  /** Whether it is for the HTTP API: programs send no Origin, and browsers cannot omit it. */
  readonly isApiRequest?: boolean;
  /** The address of ours that received it, without a zone. */
  readonly localAddress: string;
}

/**
 * Why access is denied: a status, and one sentence for the operator; `null`: it is allowed.
 * @param hostNames - Names, besides addresses and `localhost`, that the Host field may have; in lower case.
 */
export function accessRefusal(
  request: AccessRequest,
  { token, hostNames }: { readonly token: string; readonly hostNames: readonly string[] },
): readonly [status: number, message: string] | null {
  if (!isOwnHost(request, hostNames))
    return [421, 'This is not a name of the dashboard. Open the address that the crawl printed.'];
  // A request that changes something needs a header that forms and links cannot set.
  const isChange = request.method !== 'GET';
  const presented = bearer(request.authorization) ?? (isChange ? null : request.queryToken);
  if (presented === null || !isSameText(presented, token))
    return [401, 'The token is missing or wrong. Open the address that the crawl printed.'];
  return isChange && !isOurPage(request) ? [403, 'Only the dashboard’s own page may do this.'] : null;
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isSameText(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

/** An address cannot be rebound, a name can: only configured names count. Ports may differ, as through a tunnel. */
function isOwnHost({ host, localAddress }: AccessRequest, hostNames: readonly string[]): boolean {
  const name = nameOf(host);
  if (name === null) return false;
  if (hostNames.includes(name)) return true;
  // IPv4 may be written as IPv6.
  const local = localAddress.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (name === 'localhost') return isLoopback(local);
  return isIP(name) !== 0 && (name === local || (isLoopback(name) && isLoopback(local)));
}

/** A page of this origin, whatever scheme a proxy in front uses. */
function isOurPage({ host, origin, secFetchSite, isApiRequest = false }: AccessRequest): boolean {
  if (isApiRequest && origin === undefined && secFetchSite === undefined) return true;
  if (host === undefined || origin === undefined) return false;
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin') return false;
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** The name in a Host field, in lower case, without port and brackets; `null` if there is none. */
function nameOf(host: string | undefined): string | null {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase() ?? null;
}

function bearer(authorization: string | undefined): string | null {
  return /^bearer ([\w.~+/-]+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}
