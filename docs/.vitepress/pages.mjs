// How a document becomes a page of the site, where Markdown alone does not say it. Documents stay as a code host shows
// them.

/** On these pages a heading of the third rank that is nothing but code begins a definition. */
const DEFINING = new Set(['reference/options.md']);

/**
 * For markdown-it: leaves out comments, names the cells of tables after their columns for narrow screens, and makes
 * definition lists.
 */
export function documentPages(md) {
  md.core.ruler.push('document-pages', (state) => {
    state.tokens = state.tokens.filter(
      (_, at, all) => !isComment(all[at]) && !isComment(all[at + 1]) && !isComment(all[at - 1]),
    );
    labelCells(state.tokens);
    for (const { children } of state.tokens)
      for (const token of children ?? []) {
        const label = token.attrGet('aria-label');
        if (label !== null) token.attrSet('aria-label', label.replaceAll('`', ''));
      }
    const { relativePath, isForSearch } = state.env;
    if (DEFINING.has(relativePath) && isForSearch !== true) state.tokens = withDefinitions(state.tokens, state.Token);
  });
}

/** The page as the search reads it: a definition is a section of its own, found by its name. */
export function searchedPage(source, env, md) {
  return md.render(source, Object.assign(env, { isForSearch: true }));
}

/**
 * How much the search prefers a page: answers before guides, guides before reference, and history last. The site runs
 * this function by itself, so it uses nothing from outside.
 */
export function preferenceOf(id) {
  if (id.startsWith('/tasks/')) return 3;
  if (/^\/(api|decisions|project)\/|^\/(comparison|glossary|performance|publishing|threat-model)\b/.test(id))
    return 0.3;
  return /^\/(packages|reference)\//.test(id) ? 1 : 2;
}

/** A paragraph of nothing but a comment; its tokens are three. */
function isComment(token) {
  return token?.type === 'inline' && /^<!--.*-->$/s.test(token.content.trim());
}

function labelCells(tokens) {
  let heads = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'table_open') heads = [];
    else if (token.type === 'tr_open') column = 0;
    else if (token.type === 'th_open') heads.push(textOf(tokens[at + 1]));
    else if (token.type === 'td_open') {
      if (heads[column]) token.attrSet('data-label', heads[column]);
      column += 1;
    }
  }
}

function textOf({ children }) {
  return children.map(({ content }) => content).join('');
}

function withDefinitions(tokens, Token) {
  const made = [];
  let isOpen = false;
  const put = (type, tag, nesting, className = null) => {
    const token = new Token(type, tag, nesting);
    token.block = true;
    if (className !== null) token.attrSet('class', className);
    made.push(token);
  };
  const end = () => {
    if (!isOpen) return;
    put('dd_close', 'dd', -1);
    put('dl_close', 'dl', -1);
    isOpen = false;
  };
  for (const [at, token] of tokens.entries()) {
    const { type, tag } = token;
    if (type === 'heading_open' && tag === 'h3' && isName(tokens[at + 1])) {
      if (isOpen) put('dd_close', 'dd', -1);
      else put('dl_open', 'dl', 1, 'definitions');
      isOpen = true;
      token.tag = 'dt';
      tokens[at + 2].tag = 'dt';
    } else if (type === 'heading_open') end();
    made.push(token);
    if (type === 'heading_close' && tag === 'dt') put('dd_open', 'dd', 1);
  }
  end();
  return made;
}

function isName({ children }) {
  return children[0]?.type === 'code_inline' && children.slice(1).every(({ type }) => type !== 'code_inline');
}
