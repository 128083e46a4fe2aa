// A key and a certificate for tests of TLS on loopback, signed by itself: for `secure.test` and 127.0.0.1, 2020 to
// 2119. Nothing but a test that is handed this certificate trusts it.

/** The private key, PEM. Public by being here. */
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr1ypJqvjIpvDfYwU
n+70nMSST4IoFMlYzRa12Pqp7sahRANCAAQiygoDoS7cELRlIrWd5viai6vN5F3w
6NOCeDp1vkIpCYTnOgcp4tOF6+KkhtH9IhkicsxRuOaKpfDrbftFxfXn
-----END PRIVATE KEY-----
`;

/** The certificate, PEM. */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtzZWN1cmUu
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLc2VjdXJlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQiygoDoS7c
ELRlIrWd5viai6vN5F3w6NOCeDp1vkIpCYTnOgcp4tOF6+KkhtH9IhkicsxRuOaK
pfDrbftFxfXno1AwTjAPBgNVHRMBAf8EBTADAQH/MBwGA1UdEQQVMBOCC3NlY3Vy
ZS50ZXN0hwR/AAABMB0GA1UdDgQWBBQuCVR7y8G0hiLGANIgqWtpdEX5nTAKBggq
hkjOPQQDAgNIADBFAiEAxzYQ2j0QzvdpXsRqzxBrte6h0T7k0JJD6D54YtV9w+oC
IFwwqI3CKSefgQRtR2G2gkRLJK+76gj+oRUeoKKX8h9G
-----END CERTIFICATE-----
`;
