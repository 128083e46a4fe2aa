// What keeps a browser from the network. Every request of a page is intercepted before it leaves (page-requests.ts).
// The seal is for what slips by: it leads to a proxy that does not exist. Three layers, so that a browser which ignores
// one of them still reaches no server: flags of the program, the proxy of each context, and functions that scripts do
// not find.

import type { BrowserContextOptions } from 'playwright-core';

/** The port of tcpmux has no listener, and only a privileged process could open it. */
const NOWHERE = 'http://127.0.0.1:1';

/**
 * Flags that a browser is started with: no name is looked up, every connection goes to a proxy that is not there,
 * loopback too, nothing is sent past a proxy by UDP, and the program requests nothing by itself. For those who start it
 * themselves.
 */
export const SEALED_FLAGS: readonly string[] = Object.freeze([
  `--proxy-server=${NOWHERE}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
]);

/** A context of a page's own: nothing of other pages is in it, nothing stays of it, and it leads nowhere. */
export const SEALED_CONTEXT: BrowserContextOptions = Object.freeze({
  proxy: { server: NOWHERE, bypass: '<-loopback>' },
  serviceWorkers: 'block',
  acceptDownloads: false,
});

/**
 * Runs before any script of a page, in every frame: connections that no request announces, workers that outlive a page,
 * and forms, which are never submitted.
 */
export const SEAL_SCRIPT =
  'addEventListener("submit", (event) => event.preventDefault(), true);' +
  'HTMLFormElement.prototype.submit = () => undefined;' +
  'for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "SharedWorker"]) ' +
  'delete globalThis[name];';
