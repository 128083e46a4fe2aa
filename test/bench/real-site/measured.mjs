// Preloaded into a command (node --import): what the process took is written to the file that MEASURED names, as it
// ends.

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
