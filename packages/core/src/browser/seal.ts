// Keeps a browser off the network. Every request of a page is intercepted before it is sent (page-requests.ts). The
// seal catches requests that escape this: it leads to a proxy that does not exist. Three layers, so that a browser
// which ignores one of them still reaches no server: flags of the program, the proxy of each context, and functions
// hidden from scripts.

import type { BrowserContextOptions } from 'playwright-core';

/** The port of tcpmux has no listener, and only a privileged process could open it. */
const NOWHERE = 'http://127.0.0.1:1';

/**
 * Flags for starting a browser: no name is looked up, every connection, loopback included, goes to a proxy that does
 * not exist, no UDP bypasses a proxy, and the program requests nothing by itself. For users who start the browser
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

/** A page's own context: it shares nothing with other pages, keeps nothing, and has no network. */
export const SEALED_CONTEXT: BrowserContextOptions = Object.freeze({
  proxy: { server: NOWHERE, bypass: '<-loopback>' },
  serviceWorkers: 'block',
  acceptDownloads: false,
});

/** Runs first in every frame: removes connections that no request announces, and shared workers; blocks forms. */
export const SEAL_SCRIPT =
  'addEventListener("submit", (event) => event.preventDefault(), true);' +
  'HTMLFormElement.prototype.submit = () => undefined;' +
  'for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "SharedWorker"]) ' +
  'delete globalThis[name];';
