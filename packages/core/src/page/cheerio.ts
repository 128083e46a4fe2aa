// The document behind `page.$`: cheerio on parse5, loaded when a handler first touches it, since loading takes some
// sixty milliseconds and a few megabytes. A getter cannot wait, so cheerio's CommonJS build is loaded by `require`.
//
// Two things make a document cheaper than with cheerio's own `load`. All documents share a class (docs/decisions/0020):
// V8 keeps what it learns of a class, and its document with it, until the next full collection. And the tree takes a
// third less memory (docs/decisions/0017): a tree is some twenty times its page.

import { createRequire } from 'node:module';
import type { Cheerio, CheerioAPI, CheerioOptions } from 'cheerio';
import type { AnyNode, Element } from 'domhandler';
import type { Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';

type Load = (text: string, options: CheerioOptions) => CheerioAPI;
type LoadOne = (text: string) => CheerioAPI;
type Adapter = typeof import('parse5-htmlparser2-tree-adapter').adapter;
type Attributes = Parameters<Adapter['createElement']>[2];
type ParentNode = Htmlparser2TreeAdapterMap['parentNode'];
type ChildNode = Htmlparser2TreeAdapterMap['childNode'];

const require = createRequire(import.meta.url);
let loaders: Readonly<Record<'html' | 'xml', LoadOne>> | null = null;

/**
 * A cheerio document. Its `fn`, where plugins go, is the same for all documents of the process.
 *
 * @param text - The page, decoded.
 * @param isXml - Names keep their case and nothing is implied. Otherwise it is read as a browser without scripts does:
 *   what `noscript` holds is part of it, as it is of `page.links`.
 * @throws Never, beyond what loading the module throws.
 */
export function loadDocument(text: string, isXml: boolean): CheerioAPI {
  loaders ??= createLoaders();
  return isXml ? loaders.xml(text) : loaders.html(text);
}

function createLoaders(): NonNullable<typeof loaders> {
  const { load } = require('cheerio') as typeof import('cheerio');
  return {
    html: createLoader(load, { scriptingEnabled: false, treeAdapter: createLeanTree() }),
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

/**
 * Attributes without a prototype, in an object that V8 need not keep as a hash table (as it does
 * `Object.create(null)`).
 */
class Values {
  [name: string]: string;
}
Object.setPrototypeOf(Values.prototype, null);
Reflect.deleteProperty(Values.prototype, 'constructor');

/** parse5's adapter for cheerio's nodes, with smaller elements. The trees are the same. */
function createLeanTree(): Adapter {
  const { adapter } = require('parse5-htmlparser2-tree-adapter') as typeof import('parse5-htmlparser2-tree-adapter');
  const { Element: ElementNode } = require('domhandler') as typeof import('domhandler');

  // An array that grows keeps space for sixteen more, and nearly every element has one child or two.
  const appendChild = (parent: ParentNode, child: ChildNode): void => {
    const { children } = parent;
    const last = children.at(-1);
    child.parent = parent;
    if (last === undefined) {
      parent.children = [child];
      return;
    }
    last.next = child;
    child.prev = last;
    if (children.length === 1) parent.children = [last, child];
    else children.push(child);
  };

  return {
    ...adapter,
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

/** Characters from which on V8 does not copy a string that grows. */
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

/**
 * The same string in one piece. The tokenizer adds one character after the other, which V8 keeps as a tree until it is
 * read.
 */
function flat(text: string): string {
  lastRead.code = text.charCodeAt(0);
  return text;
}
