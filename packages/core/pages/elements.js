// Texts, elements and tables, for report.html and for the live view: `pages.ts` puts this file before their scripts.
// Every value of a crawl is untrusted text: it becomes a text node or an attribute, never markup.

// ---- Text

/** Text of a site without control and direction characters, at most `limit` characters. */
export const printable = (text, limit = 400) => {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1)}…`;
};

export const count = (value) => (value === null || value === undefined ? '–' : value.toLocaleString('en'));

export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export const size = (bytes) => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value >= 99.5 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};

// ---- Elements

export const byId = (id) => document.getElementById(id);

/** An element with properties and children; a string becomes a text node. */
export const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

export const small = (text) => element('small', {}, text);

/** Text in the colour of a tone: good, moved, warn, bad, none or queue. */
export const tag = (text, tone) => element('span', { className: `tag ${tone}` }, text);

export const drawing = (name, attributes, ...children) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** A value as a share of `most`. */
export const bar = (value, most, tone = 'good', names = { 'aria-hidden': 'true' }) =>
  drawing(
    'svg',
    { class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', ...names },
    drawing('rect', { class: 'track', width: 100, height: 10 }),
    drawing('rect', {
      class: `measured ${tone}`,
      width: ((100 * Math.max(0, value)) / Math.max(1, most)).toFixed(1),
      height: 10,
    }),
  );

/** Shows these children. What is there already stays, so that nothing flickers and a selection is kept. */
export const put = (id, ...children) => update(byId(id), element('div', {}, ...children));

function update(shown, next) {
  const children = [...next.childNodes];
  for (const [at, child] of children.entries()) {
    const old = shown.childNodes[at];
    if (old === undefined) shown.append(child);
    else if (old.isEqualNode(child)) continue;
    else if (old.nodeName !== child.nodeName || child.nodeType !== Node.ELEMENT_NODE) old.replaceWith(child);
    else {
      for (const name of old.getAttributeNames()) if (!child.hasAttribute(name)) old.removeAttribute(name);
      for (const name of child.getAttributeNames()) old.setAttribute(name, child.getAttribute(name));
      update(old, child);
    }
  }
  while (shown.childNodes.length > children.length) shown.lastChild.remove();
}

// ---- Tables

/** A cell whose sort key is not its text; `null` sorts last. */
export const cell = (content, sort) => ({ content, sort });

export const counted = (value) => cell(value === 0 ? '–' : count(value), value);

/**
 * Fills a table. A column is its heading, its class (text, number or bar) and its cell of a row: a text, an element, a
 * list of both, or `cell(content, sort)`. The first is the row's heading.
 */
export const fill = (id, caption, columns, rows) => {
  const headings = columns.map(([heading, className]) => element('th', { scope: 'col', className }, heading));
  const cellOf = ([heading, className, contentOf], column, row) => {
    const given = contentOf(row);
    const { content, sort } = given?.content === undefined ? { content: given } : given;
    const made = column === 0 ? element('th', { scope: 'row' }) : element('td', { className });
    made.append(...[content].flat());
    made.classList.toggle('empty', content === '–' || content === '');
    made.dataset.label = heading;
    if (sort !== undefined) made.dataset.sort = sort ?? '';
    return made;
  };
  put(
    id,
    ...(caption === null ? [] : [element('caption', {}, caption)]),
    element('thead', {}, element('tr', {}, ...headings)),
    element(
      'tbody',
      {},
      ...rows.map((row) => element('tr', {}, ...columns.map((each, column) => cellOf(each, column, row)))),
    ),
  );
};
