import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import { requirementsFile, requirementsText } from '../../scripts/requirements-file.ts';
import { checks } from '../../src/conformance/catalogue.ts';
import type { Check } from '../../src/conformance/check.ts';
import { fail } from '../../src/conformance/expect.ts';
import { requirementVersions } from '../../src/conformance/requirements.ts';
import { startApplication } from '../../src/library/emulators.ts';
import { verifyCallback } from '../../src/library/verify.ts';
import { workspace } from '../cli/workspace.ts';

/** The SHA-256 of each version that a release has published. */
const published = ['a1cdc56ea259a52b420fc6ff0e175c1d8c1345511a5fdafbb5ce5122f2333cf6'];

it('requirements are published as the checks say, and never changed once a release has them', () => {
  for (const version of requirementVersions()) {
    const text = readFileSync(requirementsFile(version), 'utf8');
    assert.equal(requirementsText(version), text, `requirements ${version}: npm run docs`);
    const digest = createHash('sha256').update(text).digest('hex');
    if (version <= published.length) assert.equal(digest, published[version - 1]);
  }
});

it('an update that adds a check and makes a should a must leaves requirements 1 as they are', async () => {
  const { cli, verify } = workspace();
  await using application = await startApplication({ faults: ['text-content-type'] });
  const { url } = application;
  const asked = ['--check', 'protocol', '--seed', '1'];
  const withoutTime = (text: string) => text.replace(/ in [\d.]+ s;/, '');
  const first = await verify(url, asked);
  assert.equal(first.stdout.split('\n')[0], `Verifying ${url}, requirements 1`);

  const all = checks as Check[];
  const before = [...all];
  after(() => all.splice(0, all.length, ...before));
  const place = all.findIndex(({ id }) => id === 'protocol/json-content-type');
  const [type = assert.fail()] = all.splice(place, 1);
  const run = async () => fail({ expected: 'more', observed: 'less', fix: 'Do more.' });
  const added: Check = { ...type, level: 'must', earlier: ['absent'], id: 'protocol/added', run };
  all.push(added, { ...type, level: 'must', earlier: ['should'] });

  const frozen = await verify(url, [...asked, '--requirements', '1', '--skip', added.id]);
  assert.deepEqual([frozen.status, withoutTime(frozen.stdout)], [0, withoutTime(first.stdout)]);
  const newest = await verify(url, [...asked, '--json']);
  const { requirements, summary } = JSON.parse(newest.stdout);
  assert.deepEqual([newest.status, requirements, summary.failed], [1, 2, 2]);
  const options = { url, check: 'protocol' };
  assert.ok((await verifyCallback({ ...options, requirements: 1 })).ok);
  assert.ok(!(await verifyCallback(options)).ok);
  const { stdout } = await cli(['verify', '--list', '--check', 'protocol/added']);
  assert.match(stdout, /protocol\/added .* \(must since requirements 2\)\n/);
  const earlier = await verify(url, ['--requirements', '1', '--check', added.id]);
  assert.match(`${earlier.status} ${earlier.stderr}`, /^2 error: "protocol\/added" is not among /);
});
