// Preloaded into a command (node --import): when the process ends, its costs are written to the file that MEASURED
// names.

import { writeFileSync } from 'node:fs';

const startedAt = performance.now();
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const measured = {
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    peakMib: process.resourceUsage().maxRSS / 1_024,
  };
  writeFileSync(process.env.MEASURED, JSON.stringify(measured));
});
