import { encodeHex } from '../bytes.ts';
import { hasResponse, type Transport } from '../client/exchange.ts';
import { signIn } from '../client/signin.ts';
import { checkPlaintexts, completeSignup, exchangeKey, type SignupStep } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Environment } from '../emulator/handling.ts';
import { issuePtnToken } from '../emulator/tokens.ts';
import type { Diagnosis } from '../errors.ts';
import { generatePasscode, generateUserInformation } from '../protocol/defaults.ts';
import type { LoadJob, LoadTask, SigninJob, SigninUser, SignupJob } from './job.ts';
import { KeyExaminer, KeyMemory } from './key-examiner.ts';

/** A user that signed up in a load, with all that a sign-in needs. */
export interface LoadedUser {
  readonly ptnCd: string;
  readonly key: string;
  readonly superPasscode: string;
  readonly userInfo?: string;
}

/** What became of one sign-up or sign-in. */
export interface Attempted {
  readonly ok: boolean;
  /** How long each call took, in milliseconds: the first, and the second if it was sent. */
  readonly stepsMs: readonly number[];
  /** Whether any response came, right or wrong. */
  readonly responded: boolean;
  /** Why it failed. */
  readonly diagnosis?: Diagnosis;
  /** Values that a response may repeat and that must not be shown. */
  readonly secrets?: readonly string[];
  /** Weaknesses of a key that was examined thoroughly; absent if it wasn't. */
  readonly weaknesses?: readonly Diagnosis[];
  readonly user?: LoadedUser;
}

/** Something that is repeated, each time for a user of its own. */
export interface Scenario {
  /** Does it once; never rejects for the other side's faults. */
  run(transport: Transport): Promise<Attempted>;
}

/** The scenario of a task, as one of several threads runs it. */
export function createScenario(
  task: LoadTask,
  thread: Pick<LoadJob, 'index' | 'threads' | 'keys'>,
  environment: Environment,
): Scenario {
  const cipher = parseCipher(task.cipher);
  if (task.scenario === 'signin') {
    return new SigninScenario({ ...task, cipher }, environment, thread);
  }
  const url = new URL(task.url);
  const keyPairs = task.keyPairs.map((pem) => readPrivateKey(pem).key);
  const keys = new KeyMemory(thread.keys);
  return new SignupScenario({ ...task, url, cipher, keyPairs }, { ...environment, keys });
}

/** A task whose texts are parsed. */
export interface SignupSettings extends Pick<SignupJob, 'clientId' | 'userInfo'> {
  readonly url: URL;
  readonly cipher: Cipher;
  /** At least one. */
  readonly keyPairs: readonly RsaPrivateKey[];
}

export interface SignupEnvironment extends Environment {
  readonly keys: KeyMemory;
}

/** Signs made-up users up (section 1.2), as a single sign-up does, and compares their keys. */
export class SignupScenario implements Scenario {
  readonly #settings: SignupSettings;
  readonly #environment: SignupEnvironment;
  readonly #examiner: KeyExaminer;
  /** Shows where the users came from, and distinguishes those of two runs. */
  readonly #prefix: string;
  #number = 0;

  constructor(settings: SignupSettings, environment: SignupEnvironment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#examiner = new KeyExaminer(settings.clientId, environment);
    this.#prefix = `authcli-load-${encodeHex(environment.randomBytes(5))}-`;
  }

  async run(transport: Transport): Promise<Attempted> {
    const input = this.#nextInput();
    const first = await exchangeKey(transport, input);
    if (!first.ok || first.key === undefined) return attempted([first], first.diagnosis, first.key);
    const { ptnCd } = input;
    const key = first.key.reveal();
    const user = {
      ptnCd,
      key,
      superPasscode: input.superPasscode.reveal(),
      userInfo: input.userInfo?.reveal(),
    };
    const secrets = [first.key, input.superPasscode, input.userInfo] as const;
    const { repeated, weaknesses } = this.#examiner.examine(key, ptnCd);
    if (repeated !== undefined) {
      return { weaknesses, ...attempted([first], repeated, ...secrets) };
    }
    const { ok, steps, diagnosis } = await completeSignup(transport, input, first);
    return { user, weaknesses, ...attempted(steps, diagnosis, ...secrets), ok };
  }

  #nextInput() {
    const { url, clientId, cipher, keyPairs, userInfo } = this.#settings;
    const keyPair = keyPairs[this.#number % keyPairs.length];
    if (keyPair === undefined) throw new TypeError('sign-ups without a key pair');
    const ptnCd = `${this.#prefix}${this.#number}`;
    this.#number += 1;
    const { randomBytes, now } = this.#environment;
    const text = userInfo === undefined ? generateUserInformation(ptnCd) : userInfo;
    return {
      url,
      clientId,
      cipher,
      ptnCd,
      inventsUser: true,
      keyPair,
      superPasscode: Secret.text(generatePasscode(randomBytes)),
      userInfo: Secret.optional(text ?? undefined),
      randomBytes,
      now: now(),
      examinesStrength: false,
    };
  }
}

function attempted(
  steps: readonly SignupStep[],
  diagnosis: Diagnosis | undefined,
  ...secrets: readonly (Secret | undefined)[]
): Attempted {
  return {
    ok: false,
    responded: steps.some(({ exchange }) => hasResponse(exchange)),
    stepsMs: steps.map(({ exchange }) => exchange.durationMs),
    diagnosis,
    secrets: secrets.flatMap((secret) => secret?.reveal() ?? []),
  };
}

/**
 * Refuses settings that are wrong for every key.
 * @throws AuthcliError `usage` for user information that the cipher can't take.
 */
export function checkSignupSettings({
  cipher,
  userInfo = generateUserInformation('x'),
}: Pick<SignupSettings, 'cipher' | 'userInfo'>): void {
  checkPlaintexts({
    cipher,
    superPasscode: Secret.text('x'.repeat(24)),
    userInfo: Secret.optional(userInfo ?? undefined),
  });
}

/** A task whose cipher is parsed. */
export interface SigninSettings extends Omit<SigninJob, 'scenario' | 'cipher'> {
  readonly cipher: Cipher;
}

interface Turn {
  readonly ptnToken: string;
  /** Absent for a token of an unknown user. */
  readonly ptnCd?: string;
}

/** How long an issued token is reused: it is valid for ten minutes. */
const tokenAgeMs = 300_000;

/** Signs known users in (section 1.3), as a single sign-in does. */
export class SigninScenario implements Scenario {
  readonly #settings: SigninSettings;
  readonly #secretKey: Secret;
  readonly #environment: Environment;
  readonly #step: number;
  readonly #known: ReadonlyMap<string, SigninUser>;
  readonly #issued = new Map<string, { readonly text: string; readonly issuedAt: number }>();
  #number: number;

  /** Of several threads each takes every nth user. */
  constructor(
    settings: SigninSettings,
    environment: Environment,
    { index, threads }: Pick<LoadJob, 'index' | 'threads'>,
  ) {
    this.#settings = settings;
    this.#secretKey = Secret.text(settings.secretKey);
    this.#environment = environment;
    this.#known = new Map(settings.users.map((user) => [user.ptnCd, user]));
    this.#number = index;
    this.#step = threads;
  }

  async run(transport: Transport): Promise<Attempted> {
    const { authUrl, clientId, cipher } = this.#settings;
    const { ptnToken, ptnCd: expectedPtnCd } = this.#nextTurn();
    const { ok, token, authenticate, diagnosis, ptnCd } = await signIn(transport, {
      authUrl,
      clientId,
      secretKey: this.#secretKey,
      ptnToken: Secret.text(ptnToken),
      expectedPtnCd,
      cipher,
      lookUpUser: (code) => this.#secretsOf(code),
    });
    const exchanges = [token, authenticate].flatMap((call) => call?.exchange ?? []);
    const stepsMs = exchanges.map(({ durationMs }) => durationMs);
    const responded = exchanges.some(hasResponse);
    const { key, superPasscode } = this.#known.get(ptnCd ?? '') ?? {};
    const values = [this.#settings.secretKey, ptnToken, token.result?.acsToken, key, superPasscode];
    const secrets = values.filter((value) => value !== undefined);
    return { ok, responded, stepsMs, diagnosis, secrets };
  }

  #secretsOf(ptnCd: string) {
    const { key, superPasscode } = this.#known.get(ptnCd) ?? {};
    return { key: Secret.optional(key), superPasscode: Secret.optional(superPasscode) };
  }

  #nextTurn(): Turn {
    const { users, ptnTokens = [] } = this.#settings;
    const number = this.#number;
    this.#number += this.#step;
    const ptnToken = ptnTokens[number % ptnTokens.length];
    if (ptnToken !== undefined) return { ptnToken };
    const user = users[number % users.length];
    if (user === undefined) throw new TypeError('sign-ins without a user');
    return { ptnCd: user.ptnCd, ptnToken: this.#issue(user.ptnCd) };
  }

  /** A token that the emulated service accepts. */
  #issue(ptnCd: string): string {
    const now = this.#environment.now();
    const known = this.#issued.get(ptnCd);
    if (known !== undefined && now - known.issuedAt < tokenAgeMs) return known.text;
    const { randomBytes } = this.#environment;
    const issuer = { clientId: this.#settings.clientId, secretKey: this.#secretKey };
    const text = issuePtnToken(ptnCd, issuer, { now: Math.floor(now), randomBytes });
    this.#issued.set(ptnCd, { text, issuedAt: now });
    return text;
  }
}
