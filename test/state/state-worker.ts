/** A process of its own that works on one config file, for the tests of many processes. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '../../src/crypto/secret.ts';
import { withLock } from '../../src/state/lock.ts';
import { openState } from '../../src/state/state.ts';

const [configFile = '', task = '', name = '', count = '0'] = process.argv.slice(2);
const state = openState({ configFile, now: Date.now, randomBytes, os: process.platform });

const tasks: Record<string, () => Promise<void>> = {
  /** Makes a profile and a user and adds itself to a shared one, the given number of times. */
  async write() {
    for (let round = 0; round < Number(count); round += 1) {
      await state.profiles.create(`${name} ${round}`);
      await state.users.put({ ptnCd: `${name} ${round}`, key: Secret.key(name), state: 'known' });
      await state.users.update('shared', (user) => ({
        ...user,
        key: Secret.key(`${user.key.reveal()},${name}`),
      }));
      process.stdout.write('wrote\n');
    }
  },
  /** Sets as much as the given number of bytes, and reports how that ends. */
  async fill() {
    process.on('SIGXFSZ', () => {}); // what a limit on the size of files sends
    await state.settings.set('client-id', 'x'.repeat(Number(count))).then(
      () => process.stdout.write('written\n'),
      (error: Error) => process.stdout.write(`${error.message}\n`),
    );
  },
  /** Holds the lock until it is killed. */
  async hold() {
    await withLock(configFile, randomBytes, async () => {
      process.stdout.write('holding\n');
      await delay(600_000);
    });
  },
  /** Holds the lock, stops itself, and reports whether it still has it when it goes on. */
  async sleep() {
    await withLock(configFile, randomBytes, (lease) => {
      process.stdout.write('holding\n');
      process.kill(process.pid, 'SIGSTOP');
      try {
        lease.confirm();
        process.stdout.write('confirmed\n');
      } catch (error) {
        process.stdout.write(`${(error as Error).message}\n`);
      }
    });
  },
};

await tasks[task]?.();
