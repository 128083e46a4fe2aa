// The site: VitePress over `docs`, the pages that TypeDoc writes, and documents from elsewhere in the repository.
// Search is built in. The pages load nothing from other hosts, fonts included. A link to a missing page fails the
// build.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { publicEntries } from './entries.mjs';
import { headingId, repositoryLinks } from './links.mjs';
import { documentPages, preferenceOf, searchedPage } from './pages.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const sections = JSON.parse(readFileSync(here('sidebar.json'), 'utf8'));

const sidebar = sections.map(({ text, isCollapsed = false, items }) => ({
  text,
  collapsed: isCollapsed,
  items: items.map(({ text, page }) => ({ text, link: `/${page.replace(/(README|index)$/, '')}` })),
}));

const api = [
  { text: 'API', items: publicEntries().map(({ name }) => ({ text: name, link: `/api/${name}` })) },
  {
    text: 'Documentation',
    items: [
      { text: 'What it is', link: '/' },
      { text: 'Options', link: '/reference/options' },
    ],
  },
];

export default defineConfig({
  title: 'Mannerly',
  description: 'A polite crawler framework for Node.js',
  lang: 'en',
  head: [['link', { rel: 'icon', href: '/favicon.svg' }]],
  srcExclude: ['node_modules/**', '.vitepress/**'],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify: headingId },
    config: (md) => md.use(repositoryLinks).use(documentPages),
  },
  vite: { build: { chunkSizeWarningLimit: 4_000 }, logLevel: 'warn' },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/handlers' },
      { text: 'Options', link: '/reference/options' },
      { text: 'API', link: '/api/' },
      { text: 'For webmasters', link: '/politeness' },
    ],
    sidebar: { '/api/': api, '/': sidebar },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: searchedPage, miniSearch: { searchOptions: { boostDocument: preferenceOf } } },
    },
    footer: { message: 'Apache-2.0. The pages load nothing from other hosts.' },
  },
});
