/** A process of its own that works on one config file, for the tests of many processes. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '../../src/crypto/secret.ts';
import { withLock } from '../../src/state/lock.ts';
import { openState } from '../../src/state/state.ts';

const [configFile = '', task = '', name = '', count = '0'] = process.argv.slice(2);
const state = openState({ configFile, randomBytes, os: process.platform });

const tasks: Record<string, () => Promise<void>> = {
  /** Makes a profile and a user and adds itself to a shared setting, the given number of times. */
  async write() {
    for (let round = 0; round < Number(count); round += 1) {
      await state.profiles.create(`${name} ${round}`);
      await state.users.put({ ptnCd: `${name} ${round}`, key: Secret.key(name), state: 'known' });
      await state.settings.assign(({ headers = [] }) => ({ headers: [...headers, name] }));
      process.stdout.write('wrote\n');
    }
  },
  /** Holds the lock until it is killed. */
  async hold() {
    await withLock(configFile, async () => {
      process.stdout.write('holding\n');
      await delay(600_000);
    });
  },
  /** Stops itself while it adds itself to the shared setting. */
  async sleep() {
    let isFirst = true;
    await state.settings.assign(({ headers = [] }) => {
      process.stdout.write('holding\n');
      if (isFirst) process.kill(process.pid, 'SIGSTOP');
      isFirst = false;
      return { headers: [...headers, name] };
    });
  },
};

await tasks[task]?.();
