import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { Learning } from '../../../../src/cli/relay/learning.ts';
import { generateKeyPairLike } from '../../../../src/client/key-pair.ts';
import { createUpstream } from '../../../../src/client/upstream.ts';
import { parseCipher } from '../../../../src/crypto/cipher-notation.ts';
import type { RsaPrivateKey } from '../../../../src/crypto/rsa-key.ts';
import { KeySubstitution } from '../../../../src/relay/key-substitution.ts';
import type { Lesson } from '../../../../src/relay/lessons/lesson.ts';
import { type RelayedExchange, startRelay } from '../../../../src/relay/relay.ts';
import { type RunEnvironment, run } from '../../../support/run.ts';
import { type Combination, formats } from './combinations.ts';
import { type Language, languages, Peer, type Spec } from './peer.ts';

const ttl = 600;
const keyForms: Readonly<Record<string, string>> = {
  base64: 'Base64',
  lines: 'Base64 with line breaks',
  pem: 'PEM',
};

/** What came of one combination. */
export interface Outcome {
  /** What is wrong, a line each; empty where everything is right. */
  readonly problems: readonly string[];
  /** The settings that were learned for certain. */
  readonly settings: readonly string[];
}

interface Run {
  /** What service and application saw, in that order. */
  readonly logs: readonly (readonly unknown[])[];
  readonly relayed: readonly RelayedExchange[];
  readonly lessons: readonly Lesson[];
  /** What was called certain and wrong, at any time. */
  readonly wrong: readonly string[];
}

/** Services and applications in other languages, and a relay between them for each combination. */
export class Matrix {
  readonly #peers: Readonly<Record<Language, Peer>>;
  readonly #serviceKeys = new Map<string, string>();
  readonly #ownKeys = new Map<string, Promise<RsaPrivateKey>>();
  #count = 0;

  private constructor(peers: Readonly<Record<Language, Peer>>) {
    this.#peers = peers;
  }

  static async start(): Promise<Matrix> {
    const started = await Promise.all(
      languages.map(async (language) => [language, await Peer.start(language)] as const),
    );
    return new Matrix(Object.fromEntries(started) as Record<Language, Peer>);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#peers).map((peer) => peer.close()));
  }

  /** Runs a combination without the relay and with it, and compares. */
  async try(combination: Combination): Promise<Outcome> {
    const spec = this.#spec(combination);
    const direct = await this.#run(combination, spec, false);
    const relayed = await this.#run(combination, spec, true);
    const problems = [...relayed.wrong];
    for (const [index, side] of ['service', 'application'].entries()) {
      const difference = firstDifference(direct.logs[index], relayed.logs[index]);
      if (difference !== undefined) problems.push(`the ${side} saw something else: ${difference}`);
    }
    if (!isComplete(direct.logs))
      problems.push(`without the relay: ${JSON.stringify(direct.logs)}`);
    const departs = combination.key.form !== 'base64';
    for (const { exchange, judgement } of relayed.relayed) {
      const ids = judgement.findings.map(({ check }) => check.id);
      const expected =
        departs && exchange.operation === 'key-exchange' ? ['callback/public-key'] : [];
      if (`${ids}` !== `${expected}`)
        problems.push(
          `${exchange.operation}: findings ${ids} ${JSON.stringify(judgement.diagnoses)}`,
        );
    }
    const expected = spec.users.length * 4;
    if (relayed.relayed.length !== expected) problems.push(`${relayed.relayed.length} exchanges`);
    return this.#learned(combination, relayed.lessons, problems);
  }

  /** What the relay and `simulate-signup` say of an application that does something wrong: the first code of each. */
  async diagnoses(
    combination: Combination,
    faults: Partial<Spec>,
    environment: RunEnvironment,
  ): Promise<{ readonly relay: string | undefined; readonly simulated: string | undefined }> {
    const spec = { ...this.#spec(combination), ...faults, users: users.slice(0, 1) };
    const { relayed } = await this.#run(combination, spec, true, false);
    // a public_key in PEM is the service's departure
    const findings = relayed.flatMap(({ judgement }) => judgement.findings);
    const blamed = findings.filter(
      ({ check, side }) => check.level === 'must' && side === 'application',
    );
    const [relay] = blamed.flatMap(({ fault }) => fault.diagnosis?.code ?? []);
    const name = this.#newName();
    const application = this.#peers[combination.sides[1]];
    await application.work(name, { do: 'begin', spec });
    const url = `${application.origin}/${name}/callback`;
    const argv = ['simulate-signup', '--url', url, '--cipher', spec.cipher, '--json'];
    const { stdout } = await run(argv, environment);
    await application.work(name, { do: 'end', role: 'application' });
    return { relay, simulated: JSON.parse(stdout).error?.code };
  }

  #newName(): string {
    this.#count += 1;
    return `run-${this.#count}`;
  }

  async #run(
    combination: Combination,
    spec: Spec,
    isRelayed: boolean,
    signsIn = true,
  ): Promise<Run> {
    const [service, application] = combination.sides.map((side) => this.#peers[side]);
    assert.ok(service !== undefined && application !== undefined);
    const name = this.#newName();
    const to = new URL(`${application.origin}/${name}/callback?tenant=7`);
    const authUrl = new URL(`${service.origin}/${name}/api`);
    const relay = isRelayed ? await this.#relay(combination, to, authUrl) : undefined;
    await application.work(name, { do: 'begin', spec });
    const { callbackUrl = to.href, serviceUrl = authUrl.href } = relay ?? {};
    await service.work(name, { do: 'sign-up', spec, to: callbackUrl });
    if (signsIn) await application.work(name, { do: 'sign-in', to: serviceUrl });
    await relay?.close();
    const logs = [
      await service.work(name, { do: 'end', role: 'service' }),
      await application.work(name, { do: 'end', role: 'application' }),
    ];
    const { relayed = [], lessons = [], wrong = [] } = relay ?? {};
    return { logs, relayed, lessons, wrong };
  }

  async #relay(combination: Combination, to: URL, authUrl: URL) {
    const options = { timeoutMs: 60_000, now: () => performance.now() };
    const learning = new Learning();
    const relayed: RelayedExchange[] = [];
    const wrong: string[] = [];
    const notes: string[] = [];
    const substitution = new KeySubstitution({
      generateKeyPairLike: (like) => this.#ownKey(like),
      concerns: () => true,
      note: (text) => notes.push(text),
    });
    const relay = await startRelay({
      host: '127.0.0.1',
      callbacks: { upstream: createUpstream(to, options), port: 0 },
      service: { upstream: createUpstream(authUrl, options), port: 0 },
      substitution: combination.decrypt ? substitution : undefined,
      cipher: parseCipher(combination.cipher),
      findUser: async () => undefined,
      now: Date.now,
      onExchange: (each) => {
        relayed.push(each);
        const truth = truthOf(combination);
        for (const { setting, value, confidence } of learning.observe(each.exchange)) {
          const isWrong = confidence === 'certain' && !(truth[setting] ?? [value]).includes(value);
          if (isWrong) wrong.push(`${setting} is certain and wrong: ${value}`);
        }
      },
    });
    return {
      callbackUrl: `http://127.0.0.1:${relay.callbackPort}${to.pathname}${to.search}`,
      serviceUrl: `http://127.0.0.1:${relay.servicePort}${authUrl.pathname}`,
      relayed,
      wrong,
      get lessons() {
        return learning.lessons;
      },
      close: async () => {
        await relay.close();
        wrong.push(...notes);
      },
    };
  }

  #learned(
    combination: Combination,
    lessons: readonly Lesson[],
    found: readonly string[],
  ): Outcome {
    const problems = [...found];
    const settings: string[] = [];
    const encrypted = ['cipher', 'user-info-format'];
    for (const [setting, values] of Object.entries(truthOf(combination))) {
      const lesson = lessons.find((each) => each.setting === setting);
      const { value, confidence, alternatives = [] } = lesson ?? {};
      if (!combination.decrypt && encrypted.includes(setting)) {
        if (value !== undefined) problems.push(`${setting} is known without --decrypt: ${value}`);
        continue;
      }
      if (confidence === 'certain') settings.push(setting);
      if (![value, ...alternatives].some((each) => values.includes(each)))
        problems.push(`${setting} is ${values[0]}, and was learned as ${JSON.stringify(lesson)}`);
    }
    return { problems, settings };
  }

  #spec({ cipher, format, zone, key: { form, bits, exponent } }: Combination): Spec {
    return {
      ...{ cipher, format, zone, form, ttl, fault: '' },
      private_key: this.#serviceKey(bits, exponent),
      seed: `${cipher} ${format}`,
      client_id: 'the-shop',
      secret_key: 'the secret of the shop',
      users,
    };
  }

  #serviceKey(bits: number, exponent: number): string {
    const name = `${bits} ${exponent}`;
    const known = this.#serviceKeys.get(name);
    if (known !== undefined) return known;
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: bits,
      publicExponent: exponent,
    });
    const made = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
    this.#serviceKeys.set(name, made);
    return made;
  }

  #ownKey(like: Parameters<typeof generateKeyPairLike>[0]): Promise<RsaPrivateKey> {
    const name = `${like.modulusBits} ${like.publicExponent}`;
    const made = this.#ownKeys.get(name) ?? generateKeyPairLike(like);
    this.#ownKeys.set(name, made);
    return made;
  }
}

const users = [
  {
    ptn_cd: 'ada',
    passcode: '134457',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    phone: '010-1234-5678',
  },
  {
    ptn_cd: 'kim.minsu-7',
    passcode: 'Tr0ub4dor&3 of Minsu',
    email: 'minsu.kim@mail.example.org',
    name: '김민수',
    phone: '+82 10 9876 5432',
  },
];

/** The values of each setting that are right. */
function truthOf(combination: Combination): Readonly<Record<string, readonly unknown[]>> {
  const { cipher, format, zone, key } = combination;
  const form = keyForms[key.form];
  return {
    cipher: [cipher],
    'user-info-format': [formats[format]],
    'expire-time-zone': [offsetOf(zone)],
    'token-ttl': ['10m'],
    public_key: [`RSA ${key.bits} bits, exponent ${key.exponent}, ${form}`],
  };
}

function offsetOf(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(Date.now()).find(({ type }) => type === 'timeZoneName');
  return name?.value.replace('GMT', '') || '+00:00';
}

function isComplete(logs: Run['logs']): boolean {
  const signedIn = logs[1]?.filter((line) => Object(line).signed_in === true) ?? [];
  return signedIn.length === users.length;
}

function firstDifference(
  one: readonly unknown[] = [],
  other: readonly unknown[] = [],
): string | undefined {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [JSON.stringify(one[index]), JSON.stringify(other[index])];
    if (left !== right) return `${left} became ${right}`;
  }
  return undefined;
}
