import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { failedChecks } from '../conformance/mutants.ts';
import { verifySignin } from '../conformance/signin-support.ts';
import { troubles } from '../conformance/support.ts';
import type { SigninProgram } from './signin-program.ts';

interface Result {
  readonly id: number;
  readonly ok: boolean;
  readonly shown: string;
}

/** Applications that sign users in on request, in one process of another language. */
export interface SigninWorker {
  /** An application that makes this mistake, or none; it keeps its state from one sign-in to the next. */
  readonly program: (mistake: string) => SigninProgram;
  readonly close: () => void;
}

/**
 * Starts the process. It reads orders and writes results, a line of JSON each.
 * @throws what the process ends with, from the sign-ins that wait for it
 */
export function startSigninWorker(command: readonly [string, ...string[]]): SigninWorker {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (result: Result) => void>();
  let orders = 0;
  let apps = 0;
  createInterface(child.stdout).on('line', (line) => {
    const result = JSON.parse(line) as Result;
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
  });
  child.on('exit', () => {
    for (const [id, resolve] of waiting) resolve({ id, ok: false, shown: 'the process has ended' });
  });
  const ask = (order: object): Promise<Result> => {
    orders += 1;
    const id = orders;
    child.stdin.write(`${JSON.stringify({ id, ...order })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  return {
    program: (mistake) => {
      apps += 1;
      const app = apps;
      return async ({ users, ...input }, print) => {
        const told = { ...input, users: Object.fromEntries(users) };
        const { ok, shown } = await ask({ app, mistake, input: told });
        print(shown);
        if (!ok) throw new Error('refused');
      };
    },
    close: () => {
      child.kill();
    },
  };
}

/** What fails for a mistake: the check that is named for it, and others that can't pass either. */
export type Mistakes = Readonly<Record<string, string | readonly [string, ...string[]]>>;

/** Checks that judge what the others have met. */
const overall: readonly string[] = ['no-retry-storm', 'works-afterwards'];

/**
 * Tests that each mistake, by the decision that it is in, fails the check that is named for it and no
 * other of those that this one needs, and that the application without a mistake passes every check.
 */
export function describeMistakes(
  title: string,
  command: readonly [string, ...string[]],
  decisions: Readonly<Record<string, Mistakes>>,
): void {
  describe(title, { concurrency: 4 }, () => {
    // Not while the file is loaded: a machine without the program counts the tests that it leaves out.
    let worker: SigninWorker | undefined;
    before(() => {
      worker = startSigninWorker(command);
    });
    after(() => worker?.close());
    const programOf = (mistake: string) => worker?.program(mistake) ?? assert.fail();

    it('passes every check without a mistake', async () => {
      assert.deepEqual(troubles(await verifySignin(programOf('none'))), []);
    });

    for (const [decision, mistakes] of Object.entries(decisions)) {
      for (const [mistake, failing] of Object.entries(mistakes)) {
        const names = [failing].flat();
        it(`${decision}: ${mistake} fails ${names.join(' and ')}`, async () => {
          const ids = names.map((name) => `signin/${name}`);
          const selection = overall.includes(names[0] ?? '') ? {} : { check: ids };
          const result = await verifySignin(programOf(mistake), selection);
          assert.deepEqual(
            failedChecks(result).toSorted(),
            ids.toSorted(),
            String(troubles(result)),
          );
        });
      }
    }
  });
}
