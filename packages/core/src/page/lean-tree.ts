// The trees behind `page.$`: cheerio's nodes as made by parse5's own adapter, but a third smaller
// (docs/decisions/0017), and fast for pages with text and elements between the rows of a table. Also what a tree costs
// while it is built: some markup of a few kilobytes makes millions of elements, and some is searched again for each of
// its tags. Past a bound, building ends.

import type { Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';
import { MannerlyError } from '../errors.js';
import { MAX_DOM_DEPTH, MAX_DOM_ELEMENTS, MAX_DOM_STEPS } from './limits.js';

export type Adapter = typeof import('parse5-htmlparser2-tree-adapter').adapter;
type Attributes = Parameters<Adapter['createElement']>[2];
type ParentNode = Htmlparser2TreeAdapterMap['parentNode'];
type ChildNode = Htmlparser2TreeAdapterMap['childNode'];
type Element = Htmlparser2TreeAdapterMap['element'];

/** Attributes without a prototype, in an object that V8 does not make a hash table, unlike `Object.create(null)`. */
class AttributeMap {
  [name: string]: string;
}
Object.setPrototypeOf(AttributeMap.prototype, null);
Reflect.deleteProperty(AttributeMap.prototype, 'constructor');

/** @param ElementNode - The class of domhandler. @param work - Receives every element, and nodes that are moved. */
export function createLeanTree(
  adapter: Adapter,
  ElementNode: typeof import('domhandler').Element,
  work: TreeWork,
): Adapter {
  // An array that grows reserves space for sixteen more, and nearly every element has one child or two.
  const appendChild = (parent: ParentNode, child: ChildNode): void => {
    const { children } = parent;
    const last = children.at(-1);
    child.parent = parent;
    child.prev = last ?? null;
    if (last !== undefined) last.next = child;
    if (children.length > 1) children.push(child);
    else parent.children = last === undefined ? [child] : [last, child];
  };

  const insertBefore = (parent: ParentNode, child: ChildNode, reference: ChildNode): void => {
    const { children } = parent;
    // The node is put before a table, and usually nothing comes after that.
    const at = children.lastIndexOf(reference);
    work.move(children.length - at);
    child.parent = parent;
    child.prev = reference.prev;
    child.next = reference;
    if (reference.prev !== null) reference.prev.next = child;
    reference.prev = child;
    children.splice(at, 0, child);
  };

  return {
    ...adapter,
    onItemPush: () => work.open(),
    onItemPop: () => work.close(),
    appendChild,
    insertBefore,
    createElement(name, namespace, attributes) {
      // Only SVG and MathML have attributes with a namespace. Elsewhere each element would keep two empty tables.
      if (attributes.some((attribute) => attribute.namespace !== undefined)) {
        return adapter.createElement(name, namespace, attributes);
      }
      const element = new ElementNode(name, attributeMap(attributes), []);
      element.namespace = namespace;
      return element;
    },
    adoptAttributes(element: Element, attributes) {
      for (const { name, value } of attributes) element.attribs[name] ??= value;
    },
    detachNode(node) {
      work.move(node.parent?.children.length ?? 0);
      adapter.detachNode(node);
    },
    insertText(parent, text) {
      const last = parent.children.at(-1);
      if (last !== undefined && adapter.isTextNode(last)) last.data += text;
      else appendChild(parent, adapter.createTextNode(text));
    },
    insertTextBefore(parent, text, reference) {
      const { prev } = reference;
      if (prev !== null && adapter.isTextNode(prev)) prev.data += text;
      else insertBefore(parent, adapter.createTextNode(text), reference);
    },
  };
}

function attributeMap(attributes: Attributes): AttributeMap {
  const values = new AttributeMap();
  for (const { name, value } of attributes) values[name] = value;
  return values;
}

export interface TreeBounds {
  readonly depth: number;
  readonly elements: number;
  /** Open elements that may be searched, over all tags. */
  readonly steps: number;
}

const DOM_BOUNDS: TreeBounds = { depth: MAX_DOM_DEPTH, elements: MAX_DOM_ELEMENTS, steps: MAX_DOM_STEPS };

export class TreeWork {
  #subject = '';
  #bounds = DOM_BOUNDS;
  #depth = 0;
  #elements = 0;
  #steps = 0;

  /** Begins another tree. @param subject - What it is made of, for the error. */
  begin(subject: string, bounds = DOM_BOUNDS): void {
    this.#subject = subject;
    this.#bounds = bounds;
    this.#depth = 0;
    this.#elements = 0;
    this.#steps = 0;
  }

  /** An element is open. @throws MannerlyError `page-too-large`, as the other steps do. */
  open(): void {
    this.#depth += 1;
    this.#elements += 1;
    const { depth, elements } = this.#bounds;
    if (this.#depth > depth) throw this.#tooLarge(`elements nested more than ${depth} deep`);
    if (this.#elements > elements) throw this.#tooLarge(`more than ${elements} elements`);
  }

  close(): void {
    this.#depth -= 1;
  }

  /** A tag was read: all open elements may be searched. */
  tag(): void {
    this.#add(this.#depth, 'too many tags that deep');
  }

  /** An attribute was read: those before it are searched. */
  attribute(attributes: number): void {
    this.#add(attributes, 'too many attributes');
  }

  /** A node was moved among others. Moving past 32 costs as much as checking one open element. */
  move(siblings: number): void {
    this.#add(siblings >> 5, 'too many nodes out of place');
  }

  #add(steps: number, fault: string): void {
    this.#steps += steps;
    if (this.#steps > this.#bounds.steps) throw this.#tooLarge(fault);
  }

  #tooLarge(fault: string): MannerlyError {
    return new MannerlyError('page-too-large', `${this.#subject} is too much for a DOM: ${fault}`, {
      hint: 'Use `page.links`, `page.html` or `page.text()`, which do not build a tree.',
    });
  }
}
