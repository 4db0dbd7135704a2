import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { createService, handleServiceCall } from '../../src/emulator/service.ts';
import type { ExploreFailure, ExploreOptions } from '../../src/explore/explore.ts';
import { exploreScript } from '../../src/reports/explore-script.ts';
import {
  application,
  type Endpoint,
  clientId as ofCallbacks,
  serve,
} from '../conformance/support.ts';
import { clientId, secretKey } from '../emulator/support.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { exploreService, simulatedEndpoint, userOf } from './service-support.ts';
import { simulation } from './simulated.ts';
import { brief, exploreHandler } from './support.ts';

/*
 * The scripts that show a failure, run by sh with curl and openssl: against an endpoint with the fault they exit with 1,
 * against a right one with 0, and again so a second time.
 */

async function runScript(
  script: string,
  base: string,
  variables: Variables = {},
): Promise<readonly [number, string]> {
  const env = { ...process.env, AUTHCLI_SECRET_KEY: secretKey, ...variables };
  const child = spawn('sh', ['-s'], { env });
  child.stdin.end(script.replaceAll('http://127.0.0.1/', `${base}/`));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await once(child, 'close')) as [number];
  return [status, (await output).join('')];
}

/** The script of the failure that an application with the fault has in simulation. */
async function scriptOf(fault: string, options?: Partial<ExploreOptions>): Promise<string> {
  const found = await exploreHandler(undefined, {
    ...simulation(fault),
    seed: 'faults',
    runs: 300,
    ...options,
  });
  const [failure] = found.failures;
  const script =
    failure && exploreScript(failure, { clientId: ofCallbacks, cipher: defaultCipher });
  assert.ok(script !== undefined, brief(found));
  return script;
}

type Variables = Readonly<Record<string, string>>;

/** The script shows the fault each time, and never at the right endpoint. */
async function expectShown(
  script: string,
  faulty: Endpoint,
  right: Endpoint,
  variables: Variables = {},
): Promise<void> {
  for (const time of ['first', 'second']) {
    const [status, output] = await runScript(script, faulty.url.origin, variables);
    assert.equal(status, 1, `${time} time: ${output}\n${script}`);
    const [rightStatus, rightOutput] = await runScript(script, right.url.origin, variables);
    assert.equal(rightStatus, 0, `${time} time, right endpoint: ${rightOutput}\n${script}`);
    assert.match(rightOutput, /The fault does not show\.\n1: \{/);
  }
}

describe('the scripts of failures of an application', () => {
  for (const name of [
    'keeps-first-key',
    'one-slot-for-all',
    'key-repeated',
    'keeps-three-users',
    'bad-registration-deletes-user',
    'bad-key-exchange-deletes-user',
    'loses-every-third-key',
    'returning-user-keeps-key',
    'trims-user-code',
    'folds-width',
    'user-code-url-decoded',
    'connection-keeps-registered-user',
    'connection-caches-key',
    'refusal-poisons-connection',
    'connection-loses-fourth-key',
  ]) {
    it(`shows ${name}`, async (context) => {
      const script = await scriptOf(name, { maxSteps: 20 });
      const faulty = await serve(application(name));
      const right = await serve(application());
      context.after(() => Promise.all([faulty.close(), right.close()]));
      await expectShown(script, faulty, right);
    });
  }
});

describe('the script at an endpoint that is not running', () => {
  for (const name of ['keeps-first-key', 'race-refuses-second']) {
    it(`ends with 3 and says that nothing responded: ${name}`, async () => {
      const script = await scriptOf(name);
      // A port that no test is given, unlike one that was closed just now.
      const [status, output] = await runScript(script, 'http://127.0.0.1:1');
      assert.equal(status, 3, `${output}\n${script}`);
      // An error of curl for each request of the first round, and none of openssl; a race is not tried again.
      assert.match(output, /^(?:curl: .*\n){1,2}Nothing responded\. Is the endpoint running\?\n$/);
    });
  }
});

describe('the script of a race', () => {
  it('tries it with new users until it happens, and not for ever', async (context) => {
    const script = await scriptOf('race-refuses-second');
    const faulty = await serve(application('race-refuses-second'));
    const asked = new Set<unknown>();
    const app = application();
    const right = await serve((request) => {
      asked.add(JSON.parse(Buffer.from(request.body).toString()).ptn_cd);
      return app(request);
    });
    context.after(() => Promise.all([faulty.close(), right.close()]));
    const [status, output] = await runScript(script, faulty.url.origin);
    assert.equal(status, 1, `${output}\n${script}`);
    const [rightStatus, rightOutput] = await runScript(script, right.url.origin);
    assert.equal(rightStatus, 0, rightOutput);
    assert.equal(asked.size % 20, 0);
  });
});

describe('the scripts of failures of a service', () => {
  let right: Endpoint;
  before(async () => {
    right = await serveService();
  });
  after(() => right.close());

  function serveService(...faults: readonly string[]): Promise<Endpoint> {
    const environment = { now: Date.now, randomBytes: seededBytes('scripted service') };
    const service = createService({
      clientId,
      secretKey: Secret.text(secretKey),
      cipher: defaultCipher,
      environment,
      findUser: userOf,
    });
    for (const name of faults) service.faults.switchOn({ name });
    return serve(async (request) => (await handleServiceCall(request, service)).response);
  }

  for (const name of [
    'keeps-three-acs-tokens',
    'next-user-ends-acs-token',
    'third-exchange-loses-acs-token',
    'unknown-acs-token-ends-all',
    'acs-token-third-use',
    'wrong-secret-frees-acs-token',
    'secret-checked-once',
    'repeat-names-user-before',
    'passcode-of-user-before',
  ]) {
    it(`shows ${name}`, async (context) => {
      const found = await exploreService(simulatedEndpoint(name), { runs: 300 });
      const [failure] = found.failures;
      assert.ok(failure !== undefined, 'a failure');
      const script = exploreScript(failure, { clientId, cipher: defaultCipher, secretKey });
      assert.ok(script !== undefined, brief(found));
      assert.ok(!script.includes(secretKey), 'without the secret');
      const faulty = await serveService(name);
      context.after(() => faulty.close());
      await expectShown(script, faulty, right, secretsOf(failure));
    });
  }

  it('end with 2 where they lack what they compare with', async () => {
    const found = await exploreService(simulatedEndpoint('passcode-of-user-before'), { runs: 300 });
    const [failure] = found.failures;
    const script =
      failure && exploreScript(failure, { clientId, cipher: defaultCipher, secretKey });
    assert.ok(script !== undefined, brief(found));
    for (const variables of [{}, { AUTHCLI_SECRET_KEY: '', ...secretsOf(failure) }]) {
      const [status, output] = await runScript(script, right.url.origin, variables);
      assert.equal(status, 2, output);
      assert.match(output, /^Set [A-Z_0-9]+ in the environment to the /);
    }
  });
});

/** The key and the passcode of each user of a failure, as its script reads them. */
function secretsOf(failure: ExploreFailure | undefined): Variables {
  const users = (failure?.execution.sent ?? []).map(({ step, ptnCd }) => {
    const { key, superPasscode } = userOf(ptnCd);
    const number = step.user + 1;
    return { [`KEY_${number}`]: key.reveal(), [`PASSCODE_${number}`]: superPasscode.reveal() };
  });
  return Object.assign({}, ...users);
}
