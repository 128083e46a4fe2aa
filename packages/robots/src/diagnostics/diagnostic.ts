// The oddities a file can hold, and what each means (robots §11). A diagnostic never raises an error; it tells a
// webmaster or an operator how a line was read. Programs may match on the codes: they are stable.

/** They change nothing that matters to a webmaster. */
const INFO = {
  bom: 'the file starts with a UTF-8 byte order mark, which was removed',
  'bom-incomplete': 'the file starts with a part of a byte order mark, which was removed',
  'encoding-utf16': 'the file is UTF-16 and was read as such',
  'unknown-field': 'the field is not known; it is kept and has no effect',
  'field-typo': 'a misspelt field name was accepted',
  'missing-colon': 'a line without a colon was accepted',
  'extension-splits-group': 'the fields above speak to the agents above only; the rules that follow speak to both',
  'rule-names-robots': 'robots.txt itself is always allowed; the rule has no effect on it',
};

/** Their lines have no effect. */
const WITHOUT_EFFECT = {
  syntax: 'the line was not understood and is ignored',
  'agent-empty': 'a User-agent line without a name matches no crawler',
  'agent-invalid': 'the User-agent value has no product token and matches no crawler',
  'rule-outside-group': 'a rule before the first User-agent line is ignored',
  'robot-version-invalid': 'the Robot-version cannot be read and has no effect',
  'robot-version-repeated': 'only the first Robot-version of a group counts',
  'robot-version-misplaced': 'Robot-version must follow the User-agent lines; it has no effect here',
  'robot-version-unsupported': 'this major version is not known; the base reading applies',
  'crawl-delay-invalid': 'the Crawl-delay cannot be read and is ignored',
  'request-rate-invalid': 'the Request-rate cannot be read and is ignored',
  'sitemap-invalid': 'the Sitemap is not an http or https URL and is ignored',
  'host-invalid': 'the Host cannot be read and is ignored',
  'host-repeated': 'only the first valid Host counts',
  'clean-param-invalid': 'the Clean-param cannot be read and is ignored',
  'clean-param-excess': 'the file has more Clean-param lines than count; this one and those after it are ignored',
  'pleasevisit-foreign': 'PleaseVisit names another authority and is ignored',
  'content-usage-invalid': 'the Content-Usage cannot be read and states nothing',
};

const MEANINGS = {
  ...INFO,
  ...WITHOUT_EFFECT,
  'invalid-utf8': 'the line is not valid UTF-8; its bytes are compared one by one',
  'nul-byte': 'NUL bytes were deleted',
  'odd-whitespace': 'unusual blanks around field or value were removed',
  'quoted-value': 'quotation marks are ordinary characters and are part of the value',
  'file-truncated': 'the file is longer than the limit; its partial last line was dropped',
  'file-oversize': 'the file is longer than the limit; what lies past it was not read',
  'file-html': 'the file is an HTML page; only its lines that are written as in a robots.txt count',
  'line-too-long': 'the line is longer than the limit',
  'multiple-agents': 'several agents on one line; each counts',
  'multiple-paths': 'several paths on one Disallow line; each counts',
  'space-in-path': 'a blank inside a path stands for its percent-encoding',
  'path-no-slash': 'the path starts with neither slash nor asterisk',
  'absolute-url': 'the value is a whole URL where a path belongs',
  'empty-allow': 'an empty Allow is ignored',
  'agent-trailing': 'only the leading product token of the User-agent value counts',
  'field-outside-group': 'a group field stands outside any group',
  'robot-version-short': 'missing parts of the Robot-version were read as zero',
  'robot-version-experimental': 'an odd minor version is experimental',
  'crawl-delay-unit': 'the Crawl-delay carries a unit, which was accepted',
  'crawl-delay-comma': 'the comma of the Crawl-delay was read as a decimal point',
  'crawl-delay-large': 'the Crawl-delay is longer than a minute; it is honoured',
  'crawl-delay-clamped': 'the Crawl-delay is longer than the limit and was cut to it',
  'request-rate-zero': 'a Request-rate of zero documents closes the host while it is in force',
  'visit-time-invalid': 'a window of the Visit-time cannot be read and was dropped',
  'visit-time-repeated': 'several Visit-time lines in one group are read as their union',
  'sitemap-relative': 'the Sitemap is relative; it was resolved against the file',
  'license-relative': 'the License is relative; it was resolved against the file',
  'license-invalid': 'the License names nothing that can be read, which counts as terms that are not known',
  'content-signal-invalid': 'a part of the Content-Signal cannot be read and is ignored',
  'content-usage-legacy': 'a label of earlier drafts (all, bots, tdm) is not known any more and is ignored',
};

export type DiagnosticCode = keyof typeof MEANINGS;

/** How much a diagnostic matters: `info` changes nothing that matters to a webmaster, `warning` does. */
export type DiagnosticSeverity = 'info' | 'warning';

/** What became of a line. */
export interface LineEffect {
  /** Whether the line has an effect on the crawlers that it addresses. */
  readonly counts: boolean;
  /** The lines that count in its place if a repair changed it; empty if it counts as written, or not at all. */
  readonly readAs: readonly string[];
}

export interface Diagnostic extends LineEffect {
  readonly code: DiagnosticCode;
  readonly severity: DiagnosticSeverity;
  /** Line number from 1; 0 for the file as a whole. */
  readonly line: number;
  /** The line as written, at most 200 characters. */
  readonly excerpt: string;
}

/** Every diagnostic code, in the order of the table. */
export const DIAGNOSTIC_CODES: readonly DiagnosticCode[] = Object.freeze(Object.keys(MEANINGS) as DiagnosticCode[]);

/** One sentence in English, without a full stop, that explains a diagnostic (robots §11). */
export function diagnosticMeaning(code: DiagnosticCode): string {
  return MEANINGS[code];
}

/** How much a diagnostic matters (robots §11). */
export function diagnosticSeverity(code: DiagnosticCode): DiagnosticSeverity {
  return Object.hasOwn(INFO, code) ? 'info' : 'warning';
}

/** Whether a line has no effect, whatever its other diagnostics are. */
export function isWithoutEffect(code: DiagnosticCode): boolean {
  return Object.hasOwn(WITHOUT_EFFECT, code);
}
