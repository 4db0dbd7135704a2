import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WireLessons } from '../../src/traffic/learn.ts';
import { readHar } from '../../src/traffic/sources/har.ts';
import { workspace } from '../cli/workspace.ts';

const { save, path, cliJson } = workspace();
const archive = (entries: string) => `{"log":{"version":"1.2","entries":[${entries}]}}`;

describe('a file of captured traffic', () => {
  it('is unpacked up to 64 MiB', async () => {
    save('bomb.har.gz', gzipSync(archive(`"${'x'.repeat(65 * 1024 * 1024)}"`)));
    const { status, json } = await cliJson(['analyze', path('bomb.har.gz')]);
    assert.equal(status, 2);
    assert.match(json.error.message, /unpacked archive.* 64 MiB/);
  });

  it('has at most 200,000 entries, of which those without a request are none', async () => {
    const most = archive(`${'{},'.repeat(199_999)}{"request":{}}`);
    assert.equal([...readHar(most)].length, 1);
    save('many.har', archive(`${'{},'.repeat(200_000)}{}`));
    const { status, json } = await cliJson(['analyze', path('many.har')]);
    assert.equal(status, 2);
    assert.match(json.error.message, /more than 200000 entries/);
  });

  it('is no device', { skip: process.platform !== 'linux' && 'no /dev/zero' }, async () => {
    for (const device of ['/dev/zero', '/dev/random']) {
      const { status, json } = await cliJson(['analyze', device]);
      assert.equal(status, 2);
      assert.match(json.error.message, /it is a device/);
    }
  });

  it('teaches little, however long its codes, messages and names are', () => {
    const lessons = new WireLessons();
    for (let each = 0; each < 200; each += 1) {
      const long = `${each}${'x'.repeat(100_000)}`;
      const body = JSON.stringify({ code: long, message: long, [long]: 1 });
      lessons.observe({
        source: `line ${each}`,
        operation: 'key-exchange',
        request: { body: new Uint8Array(), headers: [[`x-${long}`, long]] },
        response: { body: Buffer.from(body), headers: [['content-type', long]] },
      });
    }
    const read = JSON.stringify(lessons.read());
    assert.ok(read.length > 10_000 && read.length < 500_000, `${read.length} characters`);
  });
});
