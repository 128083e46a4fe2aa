// Certificates for the TLS scenarios: one key, and four self-signed certificates, valid 2020 to 2118 unless noted
// otherwise. Only tests trust them.

import type { HostileScenario } from './scenario.js';

/** The private key of all of them, PEM. It is public. */
export const HOSTILE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoRelmNTGptT0Jxtz
g41pp4iQcCGQk7iLsJHUvRw+aryhRANCAATF+K+8dH3qwUO/RwczGOGdHdS+WAlK
5CSDbRHJDrLlx129tYywBfDgTfue80PUMdIY9Ic4Y/T3iXyMzP/Xpkru
-----END PRIVATE KEY-----
`;

/** For `tls-good.test` and `other.tls-good.test`. */
const GOOD = `-----BEGIN CERTIFICATE-----
MIIBgjCCASigAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA10bHMtZ29v
ZC50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMTkwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA10bHMtZ29vZC50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExfiv
vHR96sFDv0cHMxjhnR3UvlgJSuQkg20RyQ6y5cddvbWMsAXw4E37nvND1DHSGPSH
OGP094l8jMz/16ZK7qNhMF8wDwYDVR0TAQH/BAUwAwEB/zAtBgNVHREEJjAkgg10
bHMtZ29vZC50ZXN0ghNvdGhlci50bHMtZ29vZC50ZXN0MB0GA1UdDgQWBBQFxdao
U1qKJpFxjLTxIlbWef2TVjAKBggqhkjOPQQDAgNIADBFAiEA+WWAXPb/LTlFPOfb
F/LKTbHxoIkvCVge9IDl0potv24CIA7GNF91Aei0Ea/1UoVMoXxq4gW1ZG+L62hB
U77trSif
-----END CERTIFICATE-----
`;

/** For `tls-self-signed.test`; not among the trusted ones. */
const SELF_SIGNED = `-----BEGIN CERTIFICATE-----
MIIBgjCCASigAwIBAgIBATAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBR0bHMtc2Vs
Zi1zaWduZWQudGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTE5MDEwMTAwMDAwMFow
HzEdMBsGA1UEAwwUdGxzLXNlbGYtc2lnbmVkLnRlc3QwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAATF+K+8dH3qwUO/RwczGOGdHdS+WAlK5CSDbRHJDrLlx129tYyw
BfDgTfue80PUMdIY9Ic4Y/T3iXyMzP/Xpkruo1MwUTAPBgNVHRMBAf8EBTADAQH/
MB8GA1UdEQQYMBaCFHRscy1zZWxmLXNpZ25lZC50ZXN0MB0GA1UdDgQWBBQFxdao
U1qKJpFxjLTxIlbWef2TVjAKBggqhkjOPQQDAgNIADBFAiEA270YfDyQOgG8QyFM
twNPpJFLswhpHExPe4Sf8Iz/Gx0CICvzvmHXMnrZalOFFWSHB8rKPHscrPLP7Eil
7io3Bzjv
-----END CERTIFICATE-----
`;

/** For `tls-expired.test`; it expired in January 2020. */
const EXPIRED = `-----BEGIN CERTIFICATE-----
MIIBdTCCARqgAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBB0bHMtZXhw
aXJlZC50ZXN0MB4XDTIwMDEwMTAwMDAwMFoXDTIwMDIwMTAwMDAwMFowGzEZMBcG
A1UEAwwQdGxzLWV4cGlyZWQudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BMX4r7x0ferBQ79HBzMY4Z0d1L5YCUrkJINtEckOsuXHXb21jLAF8OBN+57zQ9Qx
0hj0hzhj9PeJfIzM/9emSu6jTzBNMA8GA1UdEwEB/wQFMAMBAf8wGwYDVR0RBBQw
EoIQdGxzLWV4cGlyZWQudGVzdDAdBgNVHQ4EFgQUBcXWqFNaiiaRcYy08SJW1nn9
k1YwCgYIKoZIzj0EAwIDSQAwRgIhAKs4etgFrvnj84iyR7lluFUlxyDrn/QXfyo+
GXLhyS84AiEAnkKPHl/lAtDjac/nvba7EKKU3xfz6SvlM1cTiT0UOAQ=
-----END CERTIFICATE-----
`;

/** For `elsewhere.test`. */
const WRONG_NAME = `-----BEGIN CERTIFICATE-----
MIIBcTCCARagAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5lbHNld2hl
cmUudGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTE5MDEwMTAwMDAwMFowGTEXMBUG
A1UEAwwOZWxzZXdoZXJlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATF
+K+8dH3qwUO/RwczGOGdHdS+WAlK5CSDbRHJDrLlx129tYywBfDgTfue80PUMdIY
9Ic4Y/T3iXyMzP/Xpkruo00wSzAPBgNVHRMBAf8EBTADAQH/MBkGA1UdEQQSMBCC
DmVsc2V3aGVyZS50ZXN0MB0GA1UdDgQWBBQFxdaoU1qKJpFxjLTxIlbWef2TVjAK
BggqhkjOPQQDAgNJADBGAiEAmDVQummJmGIRZNvI1KZZHpTHMmYs+AC36YLUuXMN
GJgCIQCO2nm2KQPIP1GifagrncIagRq2YY0xxe21iT4/JPccug==
-----END CERTIFICATE-----
`;

/** The certificate of each kind of server. */
export const CERTIFICATES: Readonly<Record<NonNullable<HostileScenario['tls']>, string>> = {
  good: GOOD,
  'self-signed': SELF_SIGNED,
  expired: EXPIRED,
  'wrong-name': WRONG_NAME,
};

/** What the crawl trusts. An expired certificate and one for another name are then refused for that reason alone. */
export const TRUSTED: readonly string[] = [GOOD, EXPIRED, WRONG_NAME];
