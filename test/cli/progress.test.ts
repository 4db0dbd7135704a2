import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { startProgress } from '../../src/cli/terminal/progress.ts';
import { displayWidth } from '../../src/reports/human.ts';
import type { RunEnvironment } from '../support/run.ts';
import { workspace } from './workspace.ts';

const clear = '\r\x1b[2K';

function terminal(columns = 80) {
  const written: string[] = [];
  return {
    written,
    isTerminal: true,
    columns,
    write: (text: string) => void written.push(text),
  };
}

describe('a progress line', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('is not there in the first half second, and leaves nothing', () => {
    const output = terminal();
    const progress = startProgress(output, 'Waiting');
    mock.timers.tick(499);
    progress.stop();
    mock.timers.tick(5000);
    assert.deepEqual(output.written, []);
  });

  it('moves, says what is new, makes a text that contains a time anew, and is cleared', () => {
    const output = terminal();
    let seconds = 0;
    const progress = startProgress(output, 'first');
    mock.timers.tick(500);
    progress.update(() => `${++seconds} s`);
    mock.timers.tick(200);
    progress.stop();
    mock.timers.tick(5000);
    assert.deepEqual(output.written, [
      ...[`${clear}⠋ first`, `${clear}⠙ 1 s`, `${clear}⠹ 2 s`, clear],
    ]);
  });

  it('gives way, and comes back with the next frame', () => {
    const output = terminal();
    const progress = startProgress(output, 'work');
    progress.clear();
    mock.timers.tick(500);
    progress.clear();
    progress.clear();
    mock.timers.tick(100);
    progress.stop();
    assert.deepEqual(output.written, [`${clear}⠋ work`, clear, `${clear}⠙ work`, clear]);
  });

  it('never wraps', () => {
    for (const columns of [1, 2, 10, 40]) {
      const output = terminal(columns);
      const text = '김철수 가입 중: 12 of 35 checks, 3 s left, and more';
      const progress = startProgress(output, text);
      mock.timers.tick(500);
      progress.stop();
      const line = output.written[0]?.slice(clear.length) ?? '';
      assert.ok(displayWidth(line) <= Math.max(1, columns - 1), line);
    }
  });
});

describe('the progress of a command', () => {
  const { cli } = workspace();
  const terminalRun = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) =>
    cli(argv, { isTerminal: true, ...environment });
  const slowPair: RunEnvironment['context'] = {
    generateKeyPair: async () => {
      await new Promise((resolve) => setTimeout(resolve, 800));
      throw new Error('no pair is needed');
    },
  };
  const make = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) =>
    terminalRun(['key', 'pair', '--bits', '4096', '--out', '.', ...argv], {
      context: slowPair,
      ...environment,
    });

  it('is on standard error, and gone before anything else is said there', async () => {
    const { stderr, stdout } = await make(['--no-color']);
    const [before, first, ...rest] = stderr.split(clear);
    const line = '⠋ Generating a key pair of 4096 bits, 0 s so far';
    assert.deepEqual([before, first, stdout], ['', line, '']);
    assert.match(rest.at(-1) ?? '', /^error: /);
  });

  it('is not shown in a pipe, under --quiet and --json, and on a terminal that can clear no line', async () => {
    const outputs = await Promise.all([
      ...[make([], { isTerminal: false }), make([], { env: { TERM: 'dumb' } })],
      ...[make(['--quiet']), make(['--json'])],
    ]);
    for (const { stderr, stdout } of outputs) {
      assert.doesNotMatch(stderr + stdout, /Generating a key pair/);
      assert.ok(!stderr.includes(clear));
    }
  });

  it('prints how long --wait goes on', async () => {
    const argv = ['verify', '--url', 'http://127.0.0.1:9/callback', '--wait', '6s'];
    // A clock that goes on with each pause, each of which is drawn.
    let time = 0;
    const pause = async (milliseconds: number) => {
      time += milliseconds;
      await new Promise((resolve) => setTimeout(resolve, 600));
    };
    const { stderr, status } = await terminalRun(argv, { context: { now: () => time, pause } });
    const shown = /Waiting for http:\/\/127\.0\.0\.1:9\/callback to handle requests, (\d+) s left/g;
    const left = Array.from(stderr.matchAll(shown), ([, seconds]) => Number(seconds));
    assert.deepEqual(left, left.toSorted().reverse());
    assert.ok(new Set(left).size > 2 && Math.max(...left) <= 6, `${left}`);
    assert.equal(status, 3);
  });
});
