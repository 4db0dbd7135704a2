import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openPrivateKey } from '../../src/crypto/key-reading.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';
import { scriptedUser } from '../support/prompts.ts';
import { type RunEnvironment, run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-key-convert-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const publicBase64 = fixture('keys/public.spki.base64');
const privatePem = fixture('keys/private.pkcs8.pem');
// 'pässwörd' has other bytes in UTF-8, of which the key is encrypted, than in the UTF-16 of the MAC
const env = { OPEN: 'example', NEW: 'pässwörd' };
const password = env.NEW;

const sources = { plain: 'key.pem', chain: 'chain.p12', two: 'java-two.p12' };
writeFileSync(join(folder, sources.plain), privatePem, { mode: 0o600 });
for (const name of [sources.chain, sources.two]) {
  writeFileSync(join(folder, name), fixtureBytes(`keys/stores/${name}`), { mode: 0o600 });
}

const convert = (argv: readonly string[], more: Partial<RunEnvironment> = {}) =>
  run(['key', 'convert', ...argv], {
    configFile: join(folder, 'config.json'),
    cwd: folder,
    env,
    ...more,
  });
const written = (name: string): Buffer => readFileSync(join(folder, name));
const opening = ['--private-key-password', 'env:OPEN'];
const closing = ['--out-password', 'env:NEW'];

describe('key convert', () => {
  for (const [name, encrypts, certificates] of [
    ['a.pem', false, 2],
    ['a.der', false, 0],
    ['a.jwk', false, 0],
    ['b.pem', true, 2],
    ['b.der', true, 0],
    ['b.p12', true, 2],
    ['b.PFX', true, 2],
  ] as const) {
    it(`writes ${name}${encrypts ? ' with a password' : ''}, which it reads again`, async () => {
      const argv = [sources.chain, ...opening, '--out', name, ...(encrypts ? closing : [])];
      const { status, stdout, stderr } = await convert([...argv, '--json']);
      assert.equal(status, 0, stderr);
      const { file, encrypted, notes, ...result } = JSON.parse(stdout);
      assert.deepEqual([file, encrypted, result.certificates], [name, encrypts, certificates]);
      assert.deepEqual(
        notes,
        certificates > 0 ? [] : ['2 certificates left out: PEM and PKCS #12 keep the chain'],
      );
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
      if (encrypts) await assert.rejects(openPrivateKey(written(name)), /encrypted/);
      const read = await openPrivateKey(written(name), encrypts ? { password } : {});
      assert.equal(exportPublicKey(read.key.publicKey), publicBase64);
      const { certificates: chain } = await openPrivateKey(written(sources.chain), {
        password: env.OPEN,
      });
      assert.deepEqual(read.certificates, chain.slice(0, certificates));
      if (name === 'b.p12') assert.equal(read.alias, 'chain');
    });
  }

  it('writes what Node reads: PKCS #8 and JWK with the same numbers', async () => {
    for (const [name, read] of [
      ['n.pem', (bytes: Buffer) => createPrivateKey(bytes)],
      ['n.der', (key: Buffer) => createPrivateKey({ key, format: 'der', type: 'pkcs8' })],
      ['n.jwk', (text: Buffer) => createPrivateKey({ key: JSON.parse(`${text}`), format: 'jwk' })],
    ] as const) {
      assert.equal((await convert([sources.plain, '--out', name])).status, 0);
      const pem = read(written(name)).export({ type: 'pkcs8', format: 'pem' });
      assert.equal(pem, privatePem, name);
    }
    const encrypted = ['--out', 'e.pem', ...closing];
    assert.equal((await convert([sources.plain, ...encrypted])).status, 0);
    const opened = createPrivateKey({ key: written('e.pem'), passphrase: password });
    const spki = createPublicKey(opened).export({ type: 'spki', format: 'der' });
    assert.equal(spki.toString('base64'), publicBase64);
  });

  it('keeps the chain of the key that is in the same PEM, in its order, and no other certificate', async () => {
    const [own = '', root = ''] = fixture('keys/stores/chain.pem').split(/(?<=-----END.*\n)/);
    const shuffled = [root, privatePem, own].join('');
    const { status } = await convert(['-', '--out', 'ordered.pem'], { stdin: shuffled });
    assert.equal(status, 0);
    assert.equal(`${written('ordered.pem')}`, [privatePem, own, root].join(''));
    const { certificates } = await openPrivateKey(`${privatePem}${root}`);
    assert.deepEqual(certificates, []);
  });

  it('overwrites a file only with --force, and makes it private', async () => {
    const file = join(folder, 'old.pem');
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    const refused = await convert([sources.plain, '--out', 'old.pem']);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /old\.pem already exists\.[\s\S]*--force/);
    assert.equal(readFileSync(file, 'utf8'), 'old');
    assert.equal((await convert([sources.plain, '--out', 'old.pem', '--force'])).status, 0);
    assert.equal(readFileSync(file, 'utf8'), privatePem);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('takes the key of a store that the alias names, and the format of --to', async () => {
    const two = [sources.two, ...opening, '--out', 'two.key', '--to', 'der'];
    const { status, stderr } = await convert(two);
    assert.equal(status, 2);
    assert.match(stderr, /it has 2 private keys: "/);
    const alias = /private keys: "([^"]+)"/.exec(stderr)?.[1] ?? '';
    assert.equal((await convert([...two, '--private-key-alias', alias])).status, 0);
    const expected = await openPrivateKey(written(sources.two), { password: env.OPEN, alias });
    const read = await openPrivateKey(written('two.key'));
    assert.equal(read.key.publicKey.fingerprint, expected.key.publicKey.fingerprint);
  });

  for (const [title, argv, expected] of [
    ['an ending that is no format', ['--out', 'x.key'], /x\.key names no format[\s\S]*--to: pem,/],
    ['a JWK with a password', ['--out', 'x.jwk', ...closing], /a JWK can't be encrypted here/],
    ['a key store without a password', ['--out', 'x.p12'], /needs --out-password/],
    ['a public key', ['--out', 'x.pem'], /the private half belongs here/],
  ] as const) {
    it(`refuses ${title}, and writes nothing`, async () => {
      const isPublic = title === 'a public key';
      const stdin = isPublic ? fixture('keys/public.spki.pem') : undefined;
      const result = await convert([isPublic ? '-' : sources.plain, ...argv], { stdin });
      assert.equal(result.status, 2, result.stdout);
      assert.match(result.stderr, expected);
      assert.throws(() => written(argv[1]), /ENOENT/);
    });
  }

  it('asks for both passwords on a terminal, and shows neither', async () => {
    const prompts = scriptedUser([env.OPEN, env.NEW]);
    const { status } = await convert([sources.chain, '--out', 'asked.p12'], { prompts });
    assert.equal(status, 0);
    assert.equal(prompts.unseen.length, 2);
    const read = await openPrivateKey(written('asked.p12'), { password });
    assert.equal(exportPublicKey(read.key.publicKey), publicBase64);
  });
});
