// An RSL document as it is read: what it permits, prohibits and requires, by path. Anything that RSL 1.0 does not allow
// makes the whole document non-conformant, because half of an author's terms are different terms (licensing §3).

import { Parser } from 'htmlparser2';
import {
  MAX_LICENSE_ATTRIBUTES,
  MAX_LICENSE_BYTES,
  MAX_LICENSE_CONTENTS,
  MAX_LICENSE_DAYS,
  MAX_LICENSE_DEPTH,
  MAX_LICENSE_NAMESPACES,
  MAX_LICENSE_REMARKS,
  MAX_LICENSE_TEXT_CHARS,
  MAX_LICENSE_TOKENS,
  MAX_LICENSE_URL_CHARS,
  MAX_LICENSES_PER_CONTENT,
} from './limits.js';

/** The lists of words that a licence may have: by use, by responsible party, by its country. */
type LicenseScope = Readonly<Partial<Record<'usage' | 'user' | 'geo', readonly string[]>>>;

/** The price of a licence. Amounts are text: they are shown, never summed. */
interface LicensePayment {
  /** As written; `free` if nothing is required. */
  readonly type: string;
  /** A decimal number and an ISO 4217 code, `0.015 USD`; `null` if none is named, or it cannot be read. */
  readonly amount: string | null;
  /** URLs of terms, `standard` and `custom`. They are never fetched. */
  readonly terms: readonly string[];
  /** Media types of offers, such as `application/x402+json`. */
  readonly accepts: readonly string[];
}

export interface LicenseElement {
  readonly permits: LicenseScope;
  readonly prohibits: LicenseScope;
  readonly payment: LicensePayment;
  /** Whether it has a `legal` or `reporting` element: something must be agreed to or done. */
  readonly hasDuties: boolean;
}

export interface LicensedContent {
  /** A path pattern; in a page also absolute, or empty for the page itself. */
  readonly url: string;
  /** Where a licence must be obtained; `null` if nowhere. Never fetched. */
  readonly server: string | null;
  readonly isEncrypted: boolean;
  readonly licenses: readonly LicenseElement[];
}

export interface LicenseDocument {
  readonly kind: 'read';
  readonly maxAgeDays: number;
  /** Whether its lists have commas: it is then read as RSL 0.9 (C4). */
  readonly isVersion09: boolean;
  readonly contents: readonly LicensedContent[];
  /** Its other statements, for people: `copyright`, `terms`, `legal` and similar, as `name: text`. */
  readonly remarks: readonly string[];
}

/** A document, or why it cannot be read. `isTemporary`: it was not received, so it says neither yes nor no. */
export type LicenseReading =
  | LicenseDocument
  | { readonly kind: 'unreadable'; readonly reason: string; readonly isTemporary?: true };

const NAMESPACE = 'https://rslstandard.org/rsl';
const REMARKS = ['legal', 'copyright', 'terms', 'alternate', 'schema', 'reporting'];
/** The permitted child elements of each element. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  '': ['rsl'],
  rsl: ['content'],
  content: ['license', ...REMARKS],
  license: ['permits', 'prohibits', 'payment', ...REMARKS],
  payment: ['standard', 'custom', 'amount', 'accepts'],
};
const SCOPES = ['usage', 'user', 'geo'] as const;
const FREE: LicensePayment = { type: 'free', amount: null, terms: [], accepts: [] };

type Attributes = Readonly<Record<string, string>>;
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An open element: its local name if it is RSL's, `null` for others, whose contents are ignored. */
interface OpenElement {
  readonly name: string | null;
  readonly attributes: Attributes;
  /** The namespaces that are declared here or above, by prefix. */
  readonly namespaces: ReadonlyMap<string, string>;
  text: string;
}

/** Reads a document. @param text - Decoded. @throws Never. The time is linear in its length. */
export function readLicenseDocument(text: string): LicenseReading {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_LICENSE_BYTES) return { kind: 'unreadable', reason: `more than ${MAX_LICENSE_BYTES} bytes` };
  const reader = new DocumentReader();
  return reader.read(text.replace(/^\uFEFF/, ''));
}

class DocumentReader {
  readonly #open: OpenElement[] = [];
  readonly #contents: Writable<LicensedContent & { licenses: LicenseElement[] }>[] = [];
  readonly #remarks: string[] = [];
  #license: Writable<LicenseElement> | null = null;
  #payment: Writable<LicensePayment & { terms: string[]; accepts: string[] }> | null = null;
  #maxAgeDays = MAX_LICENSE_DAYS;
  #isVersion09 = false;
  #hasRoot = false;
  #hasJustOpened = false;
  #attributes = 0;
  #fault: string | null = null;
  #parser: Parser | null = null;

  read(text: string): LicenseReading {
    const isSelfClosed = (): boolean => this.#hasJustOpened && text.endsWith('/>', parser.endIndex + 1);
    const parser = new Parser(
      {
        onopentagname: () => {
          this.#attributes = 0;
        },
        onattribute: () => {
          this.#attributes += 1;
          if (this.#attributes > MAX_LICENSE_ATTRIBUTES) this.#fail('an element has too many attributes');
        },
        onopentag: (name, attributes) => this.#onOpenTag(name, attributes),
        ontext: (chunk) => this.#text(chunk),
        onclosetag: (_name, isImplied) => this.#onCloseTag(isImplied && !isSelfClosed()),
        onprocessinginstruction: (name) => {
          if (name.startsWith('!')) this.#fail('it has a document type, which is not read');
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
    this.#parser = parser;
    parser.end(text);
    if (!this.#hasRoot) this.#fail('not XML');
    if (this.#fault !== null) return { kind: 'unreadable', reason: this.#fault };
    const [contents, remarks] = [this.#contents, this.#remarks];
    return { kind: 'read', maxAgeDays: this.#maxAgeDays, isVersion09: this.#isVersion09, contents, remarks };
  }

  #fail(reason: string): void {
    this.#fault ??= reason;
    // Nothing after it is read, so the parser never holds more open elements than permitted.
    this.#parser?.pause();
  }

  #onOpenTag(fullName: string, attributes: Attributes): void {
    this.#hasJustOpened = true;
    const parent = this.#open.at(-1);
    if (this.#fault !== null) return;
    if (this.#open.length >= MAX_LICENSE_DEPTH) this.#fail(`elements are nested deeper than ${MAX_LICENSE_DEPTH}`);
    if (this.#attributes !== Object.keys(attributes).length) this.#fail('not XML: an attribute is repeated');
    const namespaces = namespacesOf(parent?.namespaces ?? new Map<string, string>(), attributes);
    if (namespaces.size > MAX_LICENSE_NAMESPACES) this.#fail('too many namespaces');
    const colon = fullName.indexOf(':');
    const name = fullName.slice(colon + 1);
    const isRslElement = namespaces.get(fullName.slice(0, Math.max(colon, 0))) === NAMESPACE;
    const isIgnored = parent?.name === null || (!isRslElement && parent !== undefined);
    this.#open.push({ name: isIgnored ? null : name, attributes, namespaces, text: '' });
    if (isIgnored) return;
    if (parent === undefined && (this.#hasRoot || !isRslElement || name !== 'rsl')) {
      this.#fail(this.#hasRoot ? 'not XML: a second root' : 'the root is not rsl in its namespace');
    } else if (!(CHILDREN[parent?.name ?? ''] ?? []).includes(name)) {
      this.#fail(`${name} does not belong into ${parent?.name ?? 'a document'}`.slice(0, MAX_LICENSE_TEXT_CHARS));
    } else this.#begin(name, attributes);
    this.#hasRoot = true;
  }

  #begin(name: string, attributes: Attributes): void {
    const content = this.#contents.at(-1);
    if (name === 'rsl') this.#readMaxAge(attributes['max-age']);
    else if (name === 'content') this.#beginContent(attributes);
    else if (name === 'license' && content !== undefined) {
      if (content.licenses.length >= MAX_LICENSES_PER_CONTENT) this.#fail('a content has too many licences');
      this.#license = { permits: {}, prohibits: {}, payment: FREE, hasDuties: false };
      content.licenses.push(this.#license);
    } else if (name === 'payment' && this.#license !== null) {
      if (this.#license.payment !== FREE) this.#fail('a license has two payments');
      // RSL 0.9 has another name for it (C4). A payment without a type counts as one that must be negotiated.
      const type = attributes['type']?.trim().replace(/^inference$/, 'use') || 'purchase';
      this.#payment = { ...FREE, type: type.slice(0, MAX_LICENSE_TEXT_CHARS), terms: [], accepts: [] };
      this.#license.payment = this.#payment;
    }
  }

  #beginContent({ url = '', server, encrypted }: Attributes): void {
    if (this.#contents.length >= MAX_LICENSE_CONTENTS) this.#fail(`more than ${MAX_LICENSE_CONTENTS} contents`);
    const isEncrypted = encrypted?.trim() === 'true';
    const content = { url: this.#url(url), server: server === undefined ? null : this.#url(server), isEncrypted };
    this.#contents.push({ ...content, licenses: [] });
  }

  #readMaxAge(text: string | undefined): void {
    if (text === undefined) return;
    if (!/^0*[1-9]\d{0,5}$/.test(text.trim())) this.#fail('max-age is not a number of days');
    else this.#maxAgeDays = Math.min(Number(text), MAX_LICENSE_DAYS);
  }

  #url(text: string): string {
    const url = text.trim();
    if (url.length > MAX_LICENSE_URL_CHARS) this.#fail(`a URL has more than ${MAX_LICENSE_URL_CHARS} characters`);
    return url;
  }

  #text(chunk: string): void {
    this.#hasJustOpened = false;
    const element = this.#open.at(-1);
    if (element === undefined) {
      if (chunk.trim() !== '') this.#fail('not XML: text outside the root');
    } else if (this.#fault === null && element.name !== null) element.text += chunk;
  }

  #onCloseTag(isUnclosed: boolean): void {
    this.#hasJustOpened = false;
    if (isUnclosed) this.#fail('not XML: an element is not closed');
    const element = this.#open.pop();
    if (this.#fault !== null || element === undefined || element.name === null) return;
    const { name, attributes } = element;
    const text = element.text.trim().replace(/\s+/g, ' ');
    const license = this.#license;
    if ((name === 'permits' || name === 'prohibits') && license !== null) {
      license[name] = this.#scope(license[name], attributes['type'], text);
    } else if (name === 'license') this.#license = null;
    else if (name === 'payment') this.#payment = null;
    else if (name === 'content' && this.#contents.at(-1)?.licenses.length === 0)
      this.#fail('a content without license');
    else if (this.#payment !== null) this.#paymentPart(this.#payment, name, attributes, text);
    else if (REMARKS.includes(name)) {
      if (license !== null && (name === 'legal' || name === 'reporting')) license.hasDuties = true;
      const remark = [...Object.values(attributes), text].join(' ').trim();
      if (this.#remarks.length < MAX_LICENSE_REMARKS)
        this.#remarks.push(`${name}: ${remark}`.slice(0, MAX_LICENSE_TEXT_CHARS));
    }
  }

  #paymentPart(payment: { amount: string | null; terms: string[]; accepts: string[] }, ...part: PaymentPart): void {
    const [name, attributes, text] = part;
    if (name === 'amount') {
      const currency = attributes['currency']?.trim() ?? '';
      const isReadable = /^\d{1,15}(?:\.\d{1,9})?$/.test(text) && /^[A-Z]{3}$/.test(currency);
      if (isReadable) payment.amount = `${text} ${currency}`;
    } else if (name === 'accepts') payment.accepts.push((attributes['type'] ?? text).slice(0, MAX_LICENSE_TEXT_CHARS));
    else payment.terms.push(this.#url(text));
    if (payment.accepts.length + payment.terms.length > MAX_LICENSE_TOKENS) this.#fail('a payment has too many parts');
  }

  #scope(known: LicenseScope, type: string | undefined, text: string): LicenseScope {
    const scope = SCOPES.find((each) => each === type?.trim());
    if (scope === undefined) this.#fail('permits or prohibits without a known type');
    else if (known[scope] !== undefined) this.#fail(`two lists of type ${scope}`);
    if (text.includes(',')) this.#isVersion09 = true;
    const words = text.split(/[\s,]+/, MAX_LICENSE_TOKENS + 2).filter((word) => word !== '');
    if (words.length > MAX_LICENSE_TOKENS) this.#fail(`a list has more than ${MAX_LICENSE_TOKENS} words`);
    return scope === undefined ? known : { ...known, [scope]: words };
  }
}

type PaymentPart = readonly [name: string, attributes: Attributes, text: string];

function namespacesOf(inherited: ReadonlyMap<string, string>, attributes: Attributes): ReadonlyMap<string, string> {
  const declared = Object.entries(attributes).filter(([name]) => /^xmlns(?::|$)/.test(name));
  if (declared.length === 0) return inherited;
  return new Map([...inherited, ...declared.map(([name, uri]) => [name.slice('xmlns:'.length), uri.trim()] as const)]);
}
