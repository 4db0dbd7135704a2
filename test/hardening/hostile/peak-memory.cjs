'use strict';

// Loaded before the program: says on descriptor 3, as it ends, how much memory was resident at most.
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  writeSync(3, String(peakBytes()));
});

/** Linux counts in maxRSS what the parent had resident when it forked; VmHWM begins with the program. */
function peakBytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'));
    return Number(kilobytes) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
