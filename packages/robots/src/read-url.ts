// URLs in files and answers, read by the platform's parser, and the host and port of a URL.

/** Reads a URL. @returns `null` for anything else, an empty value included. */
export function readUrl(value: string, base: string | null = null): URL | null {
  try {
    return value === '' ? null : new URL(value, base ?? undefined);
  } catch {
    // A TypeError: not a URL.
    return null;
  }
}

/** As `readUrl`; `null` also for a scheme other than http and https. */
export function readWebUrl(value: string, base: string | null = null): URL | null {
  const url = readUrl(value, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

let known: { readonly url: string; readonly host: string | undefined } = { url: '', host: undefined };

/** The host and port of a file's URL, which is needed again and again; `undefined` if the value is not a URL. */
export function hostOf(robotsUrl: string): string | undefined {
  if (known.url !== robotsUrl) known = { url: robotsUrl, host: readHost(robotsUrl) };
  return known.host;
}

/** The host and port of a URL, without the dot of a fully qualified name (access §1, A2). */
export function readHost(url: string): string | undefined {
  return readUrl(url)?.host.replace(/\.(?=:|$)/, '');
}
