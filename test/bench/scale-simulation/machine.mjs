// A machine whose processes share its cores. Each process does one job after the other, as Node and Redis do. All that
// have work get an equal share of the cores, at most one core each.

/** Work below this is a rounding error, microseconds. */
const NOTHING_US = 1e-6;

/**
 * @param options `cores`, and `others`: how many always busy processes compete for them
 * @returns `{ process(name) }`; a process is `{ run(us), usedUs(), queued() }`
 */
export function createMachine(clock, { cores, others = 0 }) {
  const busy = new Set();
  let lastMs = clock.timeMs();
  let speed = 1;
  let cancel = () => undefined;

  const moveOn = () => {
    const nowMs = clock.timeMs();
    const doneUs = (nowMs - lastMs) * 1_000 * speed;
    lastMs = nowMs;
    for (const one of busy) one.leftUs -= doneUs;
  };
  const arm = () => {
    cancel();
    if (busy.size === 0) return;
    speed = Math.min(1, cores / (busy.size + others));
    let leastUs = Number.POSITIVE_INFINITY;
    for (const one of busy) leastUs = Math.min(leastUs, one.leftUs);
    cancel = clock.after(Math.max(0, leastUs) / 1_000 / speed, () => {
      moveOn();
      // Times are floats: the rest of the first job to end may be too small for the clock to represent.
      const edgeUs = Math.max(NOTHING_US, 2 * ulpUs(clock.timeMs()));
      for (const one of [...busy]) if (one.leftUs <= edgeUs) one.next();
      arm();
    });
  };

  return {
    process(name) {
      const jobs = [];
      const one = {
        name,
        leftUs: 0,
        usedUs: 0,
        next() {
          jobs.shift().resolve();
          if (jobs.length === 0) busy.delete(one);
          else one.leftUs = jobs[0].us;
        },
      };
      return {
        /** Resolves when the work is done, after earlier jobs; urgent jobs come before others. */
        run: (us, isUrgent = false) =>
          new Promise((resolve) => {
            one.usedUs += us;
            const job = { us, resolve, isUrgent };
            const before = isUrgent ? jobs.findIndex((other, at) => at > 0 && !other.isUrgent) : -1;
            if (before < 0) jobs.push(job);
            else jobs.splice(before, 0, job);
            if (jobs.length > 1) return;
            moveOn();
            one.leftUs = us;
            busy.add(one);
            arm();
          }),
        usedUs: () => one.usedUs,
        queued: () => jobs.length,
      };
    },
  };
}

/** Several processes of a machine that share incoming work, as those of PostgreSQL do; each does one job at a time. */
export function poolOf(machine, count, name) {
  const all = Array.from({ length: count }, () => machine.process(name));
  return {
    run: (us) => all.reduce((least, one) => (one.queued() < least.queued() ? one : least)).run(us),
    usedUs: () => all.reduce((sum, one) => sum + one.usedUs(), 0),
  };
}

/** The smallest difference between two representable times, microseconds. */
function ulpUs(timeMs) {
  return timeMs * Number.EPSILON * 1_000;
}
