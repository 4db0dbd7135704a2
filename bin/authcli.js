#!/usr/bin/env node
'use strict';

import('../dist/main.js').then(
  async ({ main }) => {
    process.exitCode = await main();
  },
  (error) => {
    process.stderr.write(
      error.code === 'ERR_MODULE_NOT_FOUND'
        ? 'error: authcli is not built yet.\n  Run `npm ci`, or `npm run build`, in its folder.\n'
        : `error: authcli can't be started: ${error.message}\n`,
    );
    process.exitCode = 70;
  },
);
