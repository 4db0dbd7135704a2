'use strict';
// What a thread of `load` runs.
require('../dist/main.cjs').runLoadThread();
