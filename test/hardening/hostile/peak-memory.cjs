'use strict';

// Loaded before the program: says on descriptor 3, as it ends, how much memory was resident at most.
const { writeSync } = require('node:fs');

process.on('exit', () => {
  writeSync(3, String(process.resourceUsage().maxRSS * 1024));
});
