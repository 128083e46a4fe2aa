// Which order of visits keeps a bounded copy of many pages freshest, by simulation: this project's own code, compared
// with visiting all pages equally and with the adaptive schedules of Nutch and StormCrawler with their defaults. Pages
// change at random, at rates that no schedule knows; RECRAWL_PAGES and RECRAWL_DAYS set the size. A second history is
// recorded: the days on which 117 Debian packages were uploaded in six years, from their changelogs. again.mjs measures
// the cost of a recrawl.

import { readFileSync } from 'node:fs';
import { againRows } from './again.mjs';
import { changesOf, draw, pageOf } from './history.mjs';
import { equally, nutch, ours, oursWith, stormCrawler } from './schedules.mjs';

const PAGES = Number(process.env.RECRAWL_PAGES ?? 1_000);
const DAYS = Number(process.env.RECRAWL_DAYS ?? 180);
/** The share of the time in which schedules learn; it is not measured. */
const LEARNING = 1 / 3;
/** Runs per day, each with its share of the visits. */
const RUNS = 24;

/** @returns Rows of the table of all benchmarks. */
export async function rows() {
  return [...simulated(), ...(await againRows())];
}

function simulated() {
  const drawn = changesOf(PAGES, DAYS, draw(20_261_123));
  const { days, uploads } = JSON.parse(readFileSync(new URL('debian-uploads.json', import.meta.url), 'utf8'));
  const recorded = Object.values(uploads).map(pageOf);
  return [
    ...[0.02, 0.05, 0.1, 0.3].flatMap((share) =>
      compared(`${Math.round(share * 100)} % of the pages a day`, drawn, {
        days: DAYS,
        runs: RUNS,
        perDay: share * PAGES,
      }),
    ),
    ...withSitemaps(drawn),
    ...[0.25, 1].flatMap((perDay) =>
      compared(`Debian uploads, ${perDay} visits a day`, recorded, { days, runs: 1, perDay }),
    ),
  ];
}

function compared(budget, pages, bounds) {
  const found = Object.fromEntries(
    Object.entries({ equally, nutch, stormCrawler, ours }).map(([name, schedule]) => [
      name,
      simulate(pages, schedule(pages.length), bounds),
    ]),
  );
  const others = { StormCrawler: found.stormCrawler, Nutch: found.nutch, equally: found.equally };
  const rowsOf = (what, of, digits, goal) =>
    Object.entries(others).map(([reference, result], at) => ({
      row: at === 0 ? `recrawl: ${what}; ${budget}` : '',
      value: of(found.ours),
      reference,
      referenceValue: of(result),
      ...(at === 0 ? { goal } : {}),
      digits,
    }));
  return [
    ...rowsOf('fresh copies, %', ({ fresh }) => 100 * fresh, 1),
    ...rowsOf('mean age of a copy, days', ({ ageDays }) => ageDays, 2),
    ...rowsOf('pages not visited for 90 days', ({ forgotten }) => forgotten, 0),
  ];
}

/**
 * The effect of a sitemap: one that names all changes, one that is a day late for every second change, or one with
 * random days.
 */
function withSitemaps(pages) {
  const bounds = { days: DAYS, runs: RUNS, perDay: 0.05 * PAGES };
  const without = simulate(pages, ours(pages.length), bounds);
  const random = draw(20_261_124);
  const lies = pages.map(() => random() * 7);
  const late = (page, day) => (page % 2 === 0 ? (pages[page].lastBy(day - 1) ?? 0) : null);
  const sitemaps = {
    'a sitemap that is true': (page, day) => pages[page].lastBy(day) ?? 0,
    'a sitemap of every second page, a day late': late,
    'a sitemap that says what it likes': (page, day) => day - ((day + lies[page]) % 7),
  };
  return Object.entries(sitemaps).flatMap(([name, lastmodOf]) => {
    const found = simulate(pages, oursWith(lastmodOf)(pages.length), bounds);
    const row = (what, value, referenceValue, digits) => ({
      row: `recrawl: ${what}; 5 % of the pages a day, ${name}`,
      value,
      reference: 'no sitemap',
      referenceValue,
      digits,
    });
    return [
      row('fresh copies, %', 100 * found.fresh, 100 * without.fresh, 1),
      row('mean age of a copy, days', found.ageDays, without.ageDays, 2),
      row('pages not visited for 90 days', found.forgotten, without.forgotten, 0),
    ];
  });
}

/** Freshness and age as averages over time, measured at the end of each run. */
function simulate(pages, schedule, { days, runs, perDay }) {
  const lastVisit = new Float64Array(pages.length);
  let [fresh, age, looks, credit] = [0, 0, 0, 0];
  for (let run = 1; run <= days * runs; run += 1) {
    const day = run / runs;
    credit += perDay / runs;
    const most = Math.floor(credit);
    credit -= most;
    for (const page of schedule.choose(day, most)) {
      schedule.visited(page, day, pages[page].changedIn(lastVisit[page], day));
      lastVisit[page] = day;
    }
    if (day < days * LEARNING) continue;
    for (let page = 0; page < pages.length; page += 1) {
      const since = pages[page].firstIn(lastVisit[page], day);
      fresh += since === null ? 1 : 0;
      age += since === null ? 0 : day - since;
      looks += 1;
    }
  }
  const forgotten = lastVisit.filter((day) => days - day > 90).length;
  return { fresh: fresh / looks, ageDays: age / looks, forgotten };
}
