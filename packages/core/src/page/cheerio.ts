// The document behind `page.$`: cheerio on parse5, loaded when a handler first uses it, since loading takes some sixty
// milliseconds and a few megabytes. A getter cannot wait, so cheerio's CommonJS build is loaded with `require`. All
// documents share a class (docs/decisions/0020), and their trees take a third less memory than cheerio's own
// (docs/decisions/0017).

import { createRequire } from 'node:module';
import type { Cheerio, CheerioAPI, CheerioOptions } from 'cheerio';
import type { AnyNode } from 'domhandler';
import { Parser } from 'htmlparser2';
import { MannerlyError } from '../errors.js';
import type { ContentKind } from './content-kind.js';
import { createHtmlParser } from './html-parser.js';
import { createLeanTree, type TreeBounds, TreeWork } from './lean-tree.js';

type Load = (text: string, options: CheerioOptions) => CheerioAPI;
type LoadOne = (text: string, subject: string, bounds?: TreeBounds) => CheerioAPI;
type Parse = Cheerio<AnyNode>['_parse'];

const require = createRequire(import.meta.url);
let loaders: Readonly<Record<'html' | 'xml', LoadOne>> | null = null;

/** @param text - Called once. @throws MannerlyError `page-not-markup` unless it is HTML or XML, `page-too-large`. */
export function documentOf(kind: ContentKind, text: () => string, url: string): CheerioAPI {
  if (kind !== 'html' && kind !== 'xml') {
    throw new MannerlyError('page-not-markup', `\`page.$\` needs HTML or XML, got ${kind} from ${url}`, {
      hint: 'Register the handler for `html` or `xml`, or look at `page.kind` first.',
    });
  }
  return loadDocument(text(), kind === 'xml', url);
}

/**
 * A cheerio document. Its `fn`, where plugins go, is the same for all documents of the process.
 * @param isXml - Names keep their case and nothing is implied. Otherwise it is read like by a browser without scripts:
 *   the content of `noscript` is part of it, as in `page.links`.
 * @param subject - What the text is, for the error.
 * @throws MannerlyError `page-too-large`
 */
export function loadDocument(text: string, isXml: boolean, subject = 'the markup', bounds?: TreeBounds): CheerioAPI {
  loaders ??= createLoaders();
  return (isXml ? loaders.xml : loaders.html)(text, subject, bounds);
}

function createLoaders(): NonNullable<typeof loaders> {
  const { load } = require('cheerio') as typeof import('cheerio');
  const { adapter } = require('parse5-htmlparser2-tree-adapter') as typeof import('parse5-htmlparser2-tree-adapter');
  const { Element } = require('domhandler') as typeof import('domhandler');
  const work = new TreeWork();
  const treeAdapter = createLeanTree(adapter, Element, work);
  const parse = createHtmlParser(require('parse5') as typeof import('parse5'), work);
  const loadHtml = createLoader(load, { scriptingEnabled: false, treeAdapter }, parse);
  const loadXml = createLoader(load, { xml: true });
  return {
    html: (text, subject, bounds) => {
      work.begin(subject, bounds);
      return loadHtml(text);
    },
    xml: (text, subject) => {
      work.begin(subject);
      countElements(text, work);
      return loadXml(text);
    },
  };
}

/** Counts XML in advance, since cheerio's own parser for it has no bounds. */
function countElements(xml: string, work: TreeWork): void {
  class CountingParser extends Parser {
    override onclosetag(...at: [start: number, end: number]): void {
      work.tag();
      super.onclosetag(...at);
    }
  }
  const onopentagname = () => {
    work.tag();
    work.open();
  };
  new CountingParser({ onopentagname, onclosetag: () => work.close() }, { xmlMode: true }).end(xml);
}

/** `load` with one class for all its documents. @param parse - Replaces cheerio's own parser. */
function createLoader(load: Load, options: CheerioOptions, parse?: Parse): (text: string) => CheerioAPI {
  const shared = load('', options);
  const { fn } = shared;
  // Cheerio does not document these. Without them documents cost more, but work.
  if (typeof fn._make !== 'function' || typeof fn._parse !== 'function') return (text) => load(text, options);
  fn._make = function make<T>(this: Cheerio<AnyNode>, ...[selector, context]: Parameters<typeof fn._make<T>>) {
    const selection = shared(selector as string, context, this._root ?? undefined);
    selection.prevObject = this;
    return selection as unknown as Cheerio<T>;
  };
  const parseDefault = fn._parse;
  if (parse !== undefined)
    fn._parse = (content, ...rest) =>
      typeof content === 'string' ? parse(content, ...rest) : parseDefault(content, ...rest);
  return (text) => {
    const root = fn._parse(text, shared._options, true, null);
    const $: typeof shared = ((selector, context, from = root, own) =>
      shared(selector, context, from, own)) as CheerioAPI;
    return Object.assign($, shared, { _root: root, prototype: fn });
  };
}
