import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { bundleInto } from '../support/bundled.ts';

/*
 * In one file that is loaded whole: parts that are loaded when they are needed would be asked for as
 * a user who may not see the sources.
 */
const bundled = join(fs.mkdtempSync(join(tmpdir(), 'authcli-state-')), 'temporary-state.cjs');
await bundleInto(bundled, 'cjs', 'test/state/temporary-state.ts');
const { coded, modeOf, stateOf, temporaryFolder, userNamed } = createRequire(import.meta.url)(
  bundled,
) as typeof import('./temporary-state.ts');
after(() => fs.rmSync(dirname(bundled), { recursive: true }));

/*
 * What others own or forbid. Root may do everything, so as root the work is done as nobody; anyone
 * else is forbidden by the modes alone. Both ways meet the same refusals.
 */

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const whole = '{"version":1,"profiles":{"default":{"client-id":"shop"}}}\n';

async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

/** A config file in a folder that no user may enter, each with its mode and, as root, its owner. */
function configIn({ folderMode = 0o755, fileMode = 0o600 }, owner = nobody): string {
  const folder = temporaryFolder();
  const file = join(folder, 'config.json');
  fs.writeFileSync(file, whole);
  fs.chmodSync(file, fileMode);
  if (isRoot) fs.chownSync(file, owner, 0);
  if (isRoot) fs.chownSync(folder, nobody, 0);
  fs.chmodSync(folder, folderMode);
  return file;
}

function assertUnchanged(file: string): void {
  assert.equal(fs.readFileSync(file, 'utf8'), whole);
  assert.deepEqual(fs.readdirSync(dirname(file)), ['config.json']);
}

const set = (file: string) => stateOf(file).settings.assign(() => ({ timeout: '5s' }));

describe('what belongs to others', () => {
  // As root, a fault here would take the null device from the whole machine.
  it('is not written when it is the null device', async () => {
    const refused = coded('config', /a device or a pipe/);
    await asNobody(() => assert.rejects(set(devNull), refused));
  });

  it('is a folder that is read-only: a change says why not, users and keys are in memory', async () => {
    const file = configIn({ folderMode: 0o555 });
    await asNobody(async () => {
      assert.equal(stateOf(file).settings.list()['client-id'], 'shop');
      const why = `Can't lock ${file}: permission denied.`;
      await assert.rejects(set(file), coded('config', why));
      const { users, serviceKeyPairs } = stateOf(file);
      await users.put(userNamed('u'), userNamed('v'));
      assert.deepEqual([users.get('u')?.ptnCd, users.list().length, users.count()], ['u', 2, 2]);
      assert.equal(await serviceKeyPairs.putFirst('pem'), serviceKeyPairs.list()[0]);
    });
    assertUnchanged(file);
    fs.chmodSync(dirname(file), 0o700);
  });

  it('is a file that can not be read: nothing works, and it stays', async () => {
    const file = configIn({ fileMode: isRoot ? 0o600 : 0o000 }, 0);
    const refused = coded('config', `Can't read ${file}: permission denied.`, /owner and the mode/);
    await asNobody(async () => {
      assert.throws(() => stateOf(file).settings.list(), refused);
      await assert.rejects(set(file), refused);
    });
    fs.chmodSync(file, 0o600);
    assertUnchanged(file);
  });

  it('is a file that all can read: who does not own it is referred to its owner', async () => {
    const file = configIn({ fileMode: 0o644 }, 0);
    await asNobody(async () => {
      const state = stateOf(file);
      assert.equal(state.settings.list()['client-id'], 'shop');
      const said = isRoot
        ? `Others can read ${file} (mode 0644), and it isn't yours to close: have its owner run chmod 600.`
        : `Others could read ${file} (mode 0644); it is private again.`;
      assert.deepEqual(state.warnings, [said]);
    });
    assert.equal(modeOf(file), isRoot ? '644' : '600');
  });

  it('stays their own when root changes it', async () => {
    const file = configIn({});
    await set(file);
    assert.equal(fs.statSync(file).uid, isRoot ? nobody : process.getuid?.());
    assert.equal(modeOf(file), '600');
  });
});
