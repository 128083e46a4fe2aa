// The document behind `page.$`: cheerio on parse5, loaded when a handler first touches it, since loading takes some
// sixty milliseconds and a few megabytes. A getter cannot wait, so cheerio's CommonJS build is loaded by `require`. All
// documents share a class (docs/decisions/0020), and their trees take a third less memory than cheerio's own
// (docs/decisions/0017).

import { createRequire } from 'node:module';
import type { Cheerio, CheerioAPI, CheerioOptions } from 'cheerio';
import type { AnyNode, Element } from 'domhandler';
import type { Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';
import { MannerlyError } from '../errors.js';
import type { ContentKind } from './content-kind.js';
import { DOM_CHECKED_CHARS, MAX_DOM_DEPTH, MAX_DOM_STEPS, MAX_DOM_TAGS } from './limits.js';

type Load = (text: string, options: CheerioOptions) => CheerioAPI;
type LoadOne = (text: string) => CheerioAPI;
type Adapter = typeof import('parse5-htmlparser2-tree-adapter').adapter;
type Attributes = Parameters<Adapter['createElement']>[2];
type ParentNode = Htmlparser2TreeAdapterMap['parentNode'];
type ChildNode = Htmlparser2TreeAdapterMap['childNode'];

const require = createRequire(import.meta.url);
let loaders: Readonly<Record<'html' | 'xml', LoadOne>> | null = null;

/** @param text - Called once. @throws MannerlyError `page-not-markup` unless it is HTML or XML, `page-too-large`. */
export function documentOf(kind: ContentKind, text: () => string, url: string): CheerioAPI {
  if (kind !== 'html' && kind !== 'xml') {
    throw new MannerlyError('page-not-markup', `\`page.$\` needs HTML or XML, got ${kind} from ${url}`, {
      hint: 'Register the handler for `html` or `xml`, or look at `page.kind` first.',
    });
  }
  const markup = text();
  const fault = domFault(markup, kind === 'xml');
  if (fault !== null) throw tooMuch(url, fault);
  return loadDocument(markup, kind === 'xml');
}

function tooMuch(what: string, fault: string): MannerlyError {
  return new MannerlyError('page-too-large', `${what} is too much for a DOM: ${fault}`, {
    hint: 'Use `page.links`, `page.html` or `page.text()`, which make no tree.',
  });
}

const DOM_LIMITS = { depth: MAX_DOM_DEPTH, steps: MAX_DOM_STEPS };

/** Elements that hold nothing, or that the next of their kind closes: they do not nest. */
const FLAT: ReadonlySet<string> = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd option optgroup tr td th thead tbody tfoot rt rp body head html'
  ).split(' '),
);

/** Up to the end of the tag where that is near, so that a tag that closes itself is known. */
const TAG = /<(\/?)([A-Za-z_][^\s/>]*)(?:[^<>]{0,1024}?(\/)?>)?/g;

/**
 * Why a page is too much for a tree, which looks up its open elements for most tags and gives each some hundred bytes;
 * `null`: it is not. Tags are counted, not parsed: what stands in scripts and comments counts too, which is the
 * stricter way. Linear in the length of the text; one that is too short to matter is not looked at.
 * @param most - Elements that may nest, and open elements over all tags.
 */
export function domFault(text: string, isXml: boolean, most = DOM_LIMITS): string | null {
  if (most === DOM_LIMITS && text.length <= DOM_CHECKED_CHARS) return null;
  let tags = 0;
  let steps = 0;
  /** What is open where an end tag closes the last element of its name and all within it, and how often by name. */
  const open: string[] = [];
  const counts = new Map<string, number>();
  /** What is open where it closes one element at most. */
  let unclosed = 0;
  for (const [, slash, given = '', closesItself] of text.matchAll(TAG)) {
    tags += 1;
    if (tags > MAX_DOM_TAGS) return `more than ${MAX_DOM_TAGS} tags`;
    steps += Math.max(open.length, unclosed);
    if (steps > most.steps) return 'too many tags that deep';
    const name = isXml ? given : given.toLowerCase();
    // In HTML, tags that close themselves are common in SVG and MathML and rare elsewhere. In XML every element nests.
    if (closesItself !== undefined || (!isXml && FLAT.has(name))) continue;
    if (slash === '') {
      open.push(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      unclosed += 1;
      if (Math.max(open.length, unclosed) > most.depth) return `elements nested more than ${most.depth} deep`;
      continue;
    }
    unclosed = Math.max(0, unclosed - 1);
    for (let last = (counts.get(name) ?? 0) > 0 ? open.pop() : undefined; last !== undefined; ) {
      counts.set(last, (counts.get(last) ?? 0) - 1);
      last = last === name ? undefined : open.pop();
    }
  }
  return null;
}

/**
 * A cheerio document. Its `fn`, where plugins go, is the same for all documents of the process.
 * @param isXml - Names keep their case and nothing is implied. Otherwise it is read as a browser without scripts does:
 *   what `noscript` holds is part of it, as it is of `page.links`.
 * @throws MannerlyError `page-too-large` for HTML that nests too deep in a way that `domFault` does not see.
 */
export function loadDocument(text: string, isXml: boolean): CheerioAPI {
  loaders ??= createLoaders();
  return isXml ? loaders.xml(text) : loaders.html(text);
}

function createLoaders(): NonNullable<typeof loaders> {
  const { load } = require('cheerio') as typeof import('cheerio');
  const guard = new DepthGuard();
  const loadHtml = createLoader(load, { scriptingEnabled: false, treeAdapter: createLeanTree(guard) });
  return {
    html: (text) => {
      guard.begin(text.length);
      return loadHtml(text);
    },
    xml: createLoader(load, { xml: true }),
  };
}

/** `load` with one class for all documents that it makes. */
function createLoader(load: Load, options: CheerioOptions): LoadOne {
  const shared = load('', options);
  const { fn } = shared;
  // Cheerio does not document these. Without them documents cost more, and are as right.
  if (typeof fn._make !== 'function' || typeof fn._parse !== 'function') return (text) => load(text, options);
  fn._make = function make<T>(this: Cheerio<AnyNode>, ...[selector, context]: Parameters<typeof fn._make<T>>) {
    const made = shared(selector as string, context, this._root ?? undefined);
    made.prevObject = this;
    return made as unknown as Cheerio<T>;
  };
  return (text) => {
    const root = fn._parse(text, shared._options, true, null);
    const $: typeof shared = ((selector, context, from = root, own) =>
      shared(selector, context, from, own)) as CheerioAPI;
    return Object.assign($, shared, { _root: root, prototype: fn });
  };
}

/** Attributes without a prototype, in an object that is no hash table to V8, as `Object.create(null)` is. */
class Values {
  [name: string]: string;
}
Object.setPrototypeOf(Values.prototype, null);
Reflect.deleteProperty(Values.prototype, 'constructor');

const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

/**
 * Ends the making of a tree that becomes too deep. Which end tags close something only the tree builder knows: what it
 * ignores, it leaves open, and it looks through all that is open.
 */
class DepthGuard {
  #depth = 0;
  #isChecked = true;

  /** A document of so many characters follows. A short one is not checked. */
  begin(chars: number): void {
    this.#isChecked = chars > DOM_CHECKED_CHARS;
  }

  push({ name, namespace }: Element): void {
    // The first of every document and fragment. In SVG it is an element like any other.
    this.#depth = name === 'html' && namespace === HTML_NAMESPACE ? 1 : this.#depth + 1;
    if (this.#isChecked && this.#depth > MAX_DOM_DEPTH)
      throw tooMuch('the markup', `elements nested more than ${MAX_DOM_DEPTH} deep`);
  }

  pop(): void {
    this.#depth -= 1;
  }
}

/** parse5's adapter for cheerio's nodes, with smaller elements. The trees are the same. */
function createLeanTree(guard: DepthGuard): Adapter {
  const { adapter } = require('parse5-htmlparser2-tree-adapter') as typeof import('parse5-htmlparser2-tree-adapter');
  const { Element: ElementNode } = require('domhandler') as typeof import('domhandler');

  // An array that grows keeps space for sixteen more, and nearly every element has one child or two.
  const appendChild = (parent: ParentNode, child: ChildNode): void => {
    const { children } = parent;
    const last = children.at(-1);
    child.parent = parent;
    child.prev = last ?? null;
    if (last !== undefined) last.next = child;
    if (children.length > 1) children.push(child);
    else parent.children = last === undefined ? [child] : [last, child];
  };

  return {
    ...adapter,
    onItemPush: (element) => guard.push(element),
    onItemPop: () => guard.pop(),
    appendChild,
    createElement(name, namespace, attributes) {
      // Only SVG and MathML have attributes with a namespace. Elsewhere two empty tables per element would be kept.
      if (attributes.some((attribute) => attribute.namespace !== undefined)) {
        return adapter.createElement(name, namespace, attributes);
      }
      const element = new ElementNode(name, valuesOf(attributes), []);
      element.namespace = namespace;
      return element;
    },
    adoptAttributes(element: Element, attributes) {
      for (const { name, value } of attributes) element.attribs[name] ??= value;
    },
    insertText(parent, text) {
      const last = parent.children.at(-1);
      if (last !== undefined && adapter.isTextNode(last)) last.data = longer(last.data, text);
      else appendChild(parent, adapter.createTextNode(text));
    },
  };
}

/** V8 copies shorter strings. */
const ROPE_CHARS = 13;
/** Keeps the optimizer from removing the read in `flat`. */
const lastRead = { code: 0 };

function valuesOf(attributes: Attributes): Values {
  const values = new Values();
  for (const { name, value } of attributes) values[name] = value.length < ROPE_CHARS ? value : flat(value);
  return values;
}

/** A text and more of it. Flattened whenever its length has doubled, it is copied twice in all. */
function longer(text: string, more: string): string {
  const whole = text + more;
  return Math.clz32(whole.length) < Math.clz32(text.length) ? flat(whole) : whole;
}

/** In one piece: the tokenizer adds one character after the other, which V8 keeps as a tree until it is read. */
function flat(text: string): string {
  lastRead.code = text.charCodeAt(0);
  return text;
}
