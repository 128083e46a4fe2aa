// Your account at one site: the form is sent once, and the credential goes nowhere else. The site is a fake here,
// because a crawl signs in only over https. Remove `web` to use it with a real site.
//
//   npx -y pnpm@10 example sign-in

import { createCrawler } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';

const web = createFakeWeb({
  hosts: {
    'https://members.example': {
      robots: 'User-agent: *\nDisallow: /admin/\n',
      pages: ({ path, body, headers }) => {
        if (path === '/login' && body === undefined) return '<form method=post><input name=csrf value=t-77></form>';
        if (path === '/login') {
          const isRight = body === 'csrf=t-77&user=ann&password=sea-shell';
          const session = { Location: '/', 'Set-Cookie': 'session=s-1; Secure; HttpOnly' };
          return { status: 303, headers: isRight ? session : { Location: '/login' } };
        }
        if (headers['Cookie'] !== 'session=s-1') return { status: 302, headers: { Location: '/login' } };
        return fakePage(`Members: ${path}`, ['/tides', '/admin/', 'https://elsewhere.example/']);
      },
    },
    'https://elsewhere.example': { pages: { '/': fakePage('Elsewhere') } },
  },
});

process.env['MEMBER'] ??= 'ann';
process.env['MEMBER_PASSWORD'] ??= 'sea-shell';
const { report, exchanges } = await crawlInVirtualTime(web, (fakes) =>
  createCrawler({
    identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
    scope: { seeds: ['https://members.example/'], within: 'any', exclude: ['/logout'] },
    bounds: { pages: 10 },
    signIn: {
      origin: 'https://members.example',
      consent: 'membership of our own; terms of 2026-03-01 allow it, asked Ann Lee',
      form: {
        url: 'https://members.example/login',
        fields: ['user=env:MEMBER', 'password=env:MEMBER_PASSWORD'],
      },
    },
    ...fakes,
  })
    .on('login', (page) => ({ csrf: page.$('[name=csrf]').attr('value') ?? '' }))
    .on('html', async (page) => {
      console.log(`${page.title}`);
      await page.follow();
    }),
);

for (const { url, headers } of exchanges) console.log(`${headers['Cookie'] ? 'with' : 'without'}  ${url}`);
for (const said of report.relaxedDefaults) console.log(said);
