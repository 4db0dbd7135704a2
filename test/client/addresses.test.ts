import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseAddresses,
  formatAddressOverride,
  parseAddressOverride,
} from '../../src/client/addresses.ts';

describe('parseAddressOverride', () => {
  const right = {
    'App.Example.com.:443:127.0.0.1': 'app.example.com:443:127.0.0.1',
    'a:1:[::1]': 'a:1:[::1]',
    'a:65535:::1': 'a:65535:[::1]',
    'a:80:[2001:db8::1],192.0.2.7': 'a:80:[2001:db8::1],192.0.2.7',
    '*:80:10.0.0.1': '*:80:10.0.0.1',
    'under_score.test:80:10.0.0.1': 'under_score.test:80:10.0.0.1',
  };
  it('reads a host, a port and addresses', () => {
    for (const [text, canonical] of Object.entries(right)) {
      assert.equal(formatAddressOverride(parseAddressOverride(text)), canonical);
    }
  });

  const wrong = ['', ':', 'a', 'a:443', 'a:443:', 'a:443:b', 'a:443:1.2.3', 'a:443:1.2.3.256']
    .concat(['a:443:01.2.3.4', 'a:443:[::1', 'a:443:[::g]', 'a:443:1.1.1.1,', 'a:443:fe80::1%lo'])
    .concat(['a:0:1.1.1.1', 'a:65536:1.1.1.1', ':443:1.1.1.1', '1.1.1.1:443:2.2.2.2'])
    .concat(['a/b:443:1.1.1.1', 'a b:443:1.1.1.1', '+a:443:1.1.1.1', 'a:443:1.1.1.1:80']);
  it('refuses anything else', () => {
    const refused = { code: 'usage', message: /is not HOST:PORT:ADDR\.$/ };
    for (const text of wrong) assert.throws(() => parseAddressOverride(text), refused, text);
  });
});

describe('chooseAddresses', () => {
  it('takes the last for a host and port, and a name rather than *', () => {
    const texts = ['a.test:80:10.0.0.1', 'a.test:80:10.0.0.2', '*:80:10.0.0.3'];
    const addresses = chooseAddresses(texts.map(parseAddressOverride));
    assert.deepEqual(addresses('A.TEST.', '80'), ['10.0.0.2']);
    assert.deepEqual(addresses('b.test', '80'), ['10.0.0.3']);
    assert.equal(addresses('a.test', '443'), undefined);
  });
});
