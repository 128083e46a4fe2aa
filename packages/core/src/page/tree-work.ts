// The cost of a tree while it is built. Some markup of a few kilobytes makes millions of elements, and some is searched
// again for each of its tags. Past a bound, building ends.

import { MannerlyError } from '../errors.js';
import { MAX_DOM_DEPTH, MAX_DOM_ELEMENTS, MAX_DOM_STEPS } from './limits.js';

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
