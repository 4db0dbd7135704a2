#!/usr/bin/env node
'use strict';

// Help and version are written before anything is loaded, from texts that the build made: a start
// that loads the program costs twice what Node itself does.
const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const dist = join(__dirname, '..', 'dist');
const onTerminal = isTerminal();
const text = readyText(process.argv.slice(2));
if (text === undefined) start();
else print(text);

/** The text that these words ask for; undefined where the program has to look. */
function readyText(argv) {
  const file = fileOf(argv);
  if (file === undefined || isOtherScreen()) return undefined;
  try {
    const bytes = readFileSync(join(dist, file));
    return isColoured() ? withBoldHeadings(bytes) : bytes;
  } catch {
    return undefined; // no such help: the program says what there is
  }
}

function isTerminal() {
  try {
    const standardOutput = fstatSync(1); // asking node:tty takes 2 ms
    const isDevNull = standardOutput.rdev === 259; // Linux: major 1, minor 3
    if (isDevNull || !standardOutput.isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.stdout.isTTY === true;
}

/** A terminal on which the texts don't fit as they are: narrower than they are, or without their signs. */
function isOtherScreen() {
  const hasSigns = process.platform !== 'win32' && process.env.TERM !== 'linux';
  return onTerminal && (process.stdout.columns < 100 || !hasSigns);
}

/** What src/cli/style.ts decides by. */
function isColoured() {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return onTerminal && TERM !== 'dumb';
}

/** What src/cli/help.ts makes bold. */
function withBoldHeadings(bytes) {
  return Buffer.from(
    bytes.toString().replace(/(?<=\n\n)[A-Z][^\n]*:(?=\n)/g, (line) => `\x1b[1m${line}\x1b[22m`),
  );
}

function fileOf(argv) {
  const last = argv.at(-1);
  if (argv.length === 0) return 'help.txt';
  if (argv.length === 1 && (last === '--version' || last === '-V')) return 'version.txt';
  if (argv[0] === 'help') return helpFile(argv.slice(1));
  return last === '--help' || last === '-h' ? helpFile(argv.slice(0, -1)) : undefined;
}

function helpFile(words) {
  return words.every((word) => /^[a-z][a-z0-9-]*$/.test(word))
    ? `${join('help', ...words)}.txt`
    : undefined;
}

/** Exit statuses as in the program: a reader that went away is no failure, a full disk is. */
function print(bytes) {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(rest);
    else process.exitCode = error.code === 'EPIPE' || error.code === 'EOF' ? 0 : 4;
  }
}

async function start() {
  try {
    const { load } = require('../dist/loader.cjs');
    process.exitCode = await load('main.cjs').main();
    // When nothing is left to do, Node would take its heap apart, which costs 1 to 2 ms.
    process.on('exit', () => process.exit());
  } catch (error) {
    process.stderr.write(
      ['MODULE_NOT_FOUND', 'ENOENT'].includes(error.code)
        ? 'error: authcli is not built yet.\n  Run `npm ci`, or `npm run build`, in its folder.\n'
        : `error: authcli can't be started: ${error.message}\n`,
    );
    process.exitCode = 70;
  }
}
