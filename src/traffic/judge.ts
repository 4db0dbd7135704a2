import { decodeUtf8 } from '../bytes.ts';
import { type CallOutcome, judgeExchange, type KeyExchangeOutcome } from '../client/call.ts';
import { type Exchange, headerOf } from '../client/exchange.ts';
import { checkPasscode, type UserSecrets } from '../client/signin.ts';
import { judgeRegistration } from '../client/signup.ts';
import { checks } from '../conformance/catalogue.ts';
import type { CheckFacts, Review } from '../conformance/check.ts';
import { checkHeader } from '../conformance/context.ts';
import type { RecordedExchange } from '../conformance/result.ts';
import { returnsPasscode, serviceReviews } from '../conformance/service-reviews.ts';
import { type Cipher, parseCipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnoseErrorText } from '../diagnosis/callback-failure.ts';
import { diagnoseFailedStep, diagnosePayload, examinePlaintext } from '../diagnosis/payload.ts';
import { refusedThoughReadable } from '../diagnosis/registration-cause.ts';
import type { Diagnosis } from '../errors.ts';
import { operations } from '../protocol/operations.ts';
import { type PayloadField, payloadKinds } from '../protocol/payload-fields.ts';
import { userInformationTexts } from '../protocol/user.ts';
import { excerptOf } from '../text.ts';
import {
  type CapturedExchange,
  hasOutcome,
  isCallback,
  isOfCheck,
  jsonOf,
  knownText,
  toExchange,
} from './capture.ts';
import { callbackFacts } from './departures.ts';
import { DrawnKeys, type ExaminedKeys, keyRelations, runOf } from './drawn-keys.ts';
import {
  acceptedWrong,
  type Finding,
  openKeyExchange,
  recordOf,
  requestFindings,
  reviewed,
  textIn,
} from './exchange-review.ts';
import { Tracker } from './tracker.ts';

/** What is known beside the traffic. */
export interface Knowledge {
  readonly cipher: Cipher;
  /** Private halves of public keys that were sent, the likeliest first. */
  readonly privateKeys?: readonly RsaPrivateKey[];
  /** The per-user key of users about whom nothing else is known. */
  readonly key?: Secret;
  readonly lookUpUser?: (
    ptnCd: string,
  ) => UserSecrets | undefined | Promise<UserSecrets | undefined>;
}

export interface Judgement {
  /** No `must` is broken. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** Where it is wrong by payloads alone that a later one may explain: whether it still is. */
  readonly isStillWrong?: (() => boolean) | undefined;
  /** Those of the findings, each once. */
  readonly diagnoses: readonly Diagnosis[];
  /** The `code` of the response. */
  readonly code?: string;
  /** The user, where an earlier exchange shows it. */
  readonly ptnCd?: string;
  /** The per-user key, where it could be found. */
  readonly key?: Secret;
  /** What was decrypted, and the attributes of the user other than the code: to be hidden. */
  readonly secrets: readonly Secret[];
  /** The same by field. */
  readonly texts: Texts;
}

type MutableTexts = Partial<Record<PayloadField, Secret>>;
type Texts = Readonly<MutableTexts>;

/** Checks that a right request is accepted. */
export const acceptance = /\/(?:answers-success|without-user-info|issues-token|token-works)$/;

/** The checks that judge what was exchanged by itself. */
const reviewing = (all: readonly (CheckFacts & { readonly review?: Review })[]) =>
  all.filter(({ id, review }) => review !== undefined && !keyRelations.includes(id));

const [callbackReviews, signInReviews] = [reviewing(checks), reviewing(serviceReviews)];

/**
 * Judges exchanges one after another, live or from a file: requests of both sides against the
 * interface, responses by the checks of a conformance run that need no request of their own, and
 * payloads whose keys are known. What was not written down isn't blamed. Never rejects for what the
 * exchanges contain.
 */
export class Judge {
  readonly #tracker = new Tracker();
  readonly #payloads = new PayloadJudge();
  readonly #drawn: DrawnKeys;

  constructor(examined: ExaminedKeys) {
    this.#drawn = new DrawnKeys(examined);
  }

  async judge(captured: CapturedExchange, knowledge: Knowledge): Promise<Judgement> {
    const { operation } = captured;
    if (operation === 'other') {
      return { ok: true, findings: [], diagnoses: [], secrets: [], texts: {} };
    }
    const findings = requestFindings(captured);
    const received = captured.isPairUnsure
      ? { ...captured, request: undefined, ptnCd: undefined }
      : captured;
    if (!isOfCheck(captured)) findings.push(...this.#tracker.reuse(captured));
    const texts: MutableTexts = {};
    const ptnCd = this.#tracker.userOf(captured);
    const exchange = toExchange(received);
    const { privateKeys = [], cipher } = knowledge;
    const keyExchange =
      operation === 'key-exchange'
        ? await openKeyExchange(received, exchange, privateKeys)
        : undefined;
    const outcome = keyExchange ?? (await judgeResponse(exchange, operation, cipher));
    const side = isCallback(captured) ? 'application' : 'service';
    if (hasOutcome(received)) {
      const recorded = recordOf(received, operation, outcome);
      for (const verdict of this.#review(received, recorded, keyExchange)) {
        const found = { ...verdict, side } as const;
        const isOfToken = found.check.id === 'service/token-works';
        findings.push(...(isOfToken ? this.#tracker.explain(captured, found) : [found]));
      }
    }
    const drawn = keyExchange?.key ?? received.key;
    if (drawn !== undefined) this.#tracker.know(received.ptnCd, { key: drawn });
    this.#tracker.observe(captured);
    const stored = ptnCd === undefined ? undefined : await knowledge.lookUpUser?.(ptnCd);
    const user = { ...stored, ...this.#tracker.secretsOf(ptnCd) };
    findings.push(...(await this.#payloadFindings(captured, { ...user, ptnCd }, knowledge, texts)));
    const isReadable = operation === 'registration' && texts.partner_sp !== undefined;
    const judged = findings.map((each) => withCause(each, captured, cipher, isReadable));
    const others = userInformationTexts(texts.ubifill).filter((value) => value !== ptnCd);
    const secrets = [...Object.values(texts), ...others.map((value) => Secret.text(value))];
    const known = this.#tracker.secretsOf(ptnCd) ?? stored;
    const key =
      (captured.isPairUnsure ? undefined : keyExchange?.key) ?? captured.key ?? known?.key;
    const broken = judged.filter(({ check }) => check.level === 'must');
    const doubts = broken.flatMap(({ isStillWrong }) => isStillWrong ?? []);
    const isDoubtful = broken.length > 0 && doubts.length === broken.length;
    return {
      ok: broken.length === 0,
      isStillWrong: isDoubtful ? () => doubts.some((isWrong) => isWrong()) : undefined,
      findings: judged,
      diagnoses: diagnosesOf(judged),
      secrets: key === undefined ? secrets : [key, ...secrets],
      texts,
      code: outcome.reading?.code,
      ptnCd,
      key,
    };
  }

  #review(
    captured: CapturedExchange,
    recorded: RecordedExchange,
    keyExchange: KeyExchangeOutcome | undefined,
  ): readonly Omit<Finding, 'side'>[] {
    const { ptnCd = '', response } = captured;
    const catalogue = (isCallback(captured) ? callbackReviews : signInReviews).filter(
      ({ id }) =>
        (response?.headers !== undefined || !id.endsWith('/json-content-type')) &&
        (response?.status !== undefined || !id.endsWith('/http-status')),
    );
    const clientId = textIn(captured, 'client_id');
    const own = keyExchange ? [{ ptnCd, outcome: keyExchange }] : [];
    const record = runOf(own, recorded);
    const earlier = runOf([...this.#drawn.latest, ...own], recorded);
    const found = catalogue.flatMap((check) => {
      const isLeak = check.id === 'key-exchange/plain-key-absent';
      return reviewed(check, isLeak ? earlier : record, clientId);
    });
    // what authcli tries may be refused, unless it is to be accepted
    const tried = headerOf(captured.request?.headers ?? [], checkHeader) ?? '';
    const isRefusedTest = isOfCheck(captured) && !acceptance.test(tried);
    const wanted = found.filter(({ check }) => !isRefusedTest || !acceptance.test(check.id));
    const related = own.flatMap((drawn) => this.#drawn.add(drawn, clientId));
    return [...wanted, ...acceptedWrong(captured, recorded), ...related];
  }

  async #payloadFindings(
    captured: CapturedExchange,
    { ptnCd, ...user }: UserSecrets & { readonly ptnCd: string | undefined },
    { cipher, key: usual }: Knowledge,
    texts: MutableTexts,
  ): Promise<Finding[]> {
    const known = captured.key ?? user.key;
    const key = known ?? usual;
    if (key === undefined || isOfCheck(captured)) return [];
    const guess = known === undefined && ({ isKeyGuessed: true } as const);
    const findings: Finding[] = [];
    for (const field of ['partner_sp', 'ubifill'] as const) {
      const payload = knownText(jsonOf(captured.request)[field]);
      if (!payload) continue;
      const judged = this.#payloads.judge(field, payload, key, cipher);
      const { plaintext, diagnosis, fits, isStillWrong } = judged;
      if (plaintext !== undefined) texts[field] = plaintext;
      if (plaintext && field === 'partner_sp' && ptnCd !== undefined)
        this.#tracker.know(ptnCd, { key, superPasscode: plaintext });
      if (diagnosis)
        findings.push({
          ...payloadFinding(callbackFacts.payloads, diagnosis, fits),
          ...guess,
          isStillWrong,
        });
    }
    const result = jsonOf(captured.response).result;
    const ptnSp = knownText(Object(result).ptn_sp);
    const isUnsure = captured.isPairUnsure === true;
    if (ptnSp === undefined || isUnsure) return findings;
    const passcode = await this.#payloads.judgePasscode(ptnSp, { ...user, key }, cipher);
    if (passcode.plaintext !== undefined) texts.ptn_sp = passcode.plaintext;
    if (passcode.diagnosis === undefined) return findings;
    return [...findings, { ...payloadFinding(returnsPasscode, passcode.diagnosis), ...guess }];
  }
}

/** A cipher that fits is one that isn't set here: neither side is wrong. */
function payloadFinding(facts: CheckFacts, diagnosis: Diagnosis, fits = false): Finding {
  const check: CheckFacts = fits ? { ...facts, level: 'should' } : facts;
  const expected = 'a payload that decrypts with the per-user key';
  const fault = { expected, observed: diagnosis.code, fix: diagnosis.hint, diagnosis };
  return { check, side: 'service', fault };
}

/** Of a callback that failed, what the log says beside it; of a registration that decrypts here, what its refusal means. */
function withCause(
  finding: Finding,
  { beside, operation: step }: CapturedExchange,
  cipher: Cipher,
  isReadable: boolean,
): Finding {
  const { check, fault } = finding;
  const failed = fault.diagnosis;
  if (failed === undefined || !acceptance.test(check.id)) return finding;
  let cause = failed;
  if (beside && (step === 'key-exchange' || step === 'registration')) {
    const context = { step, texts: [beside], cipher: step === 'registration' ? cipher : undefined };
    const known = diagnoseErrorText(failed, context);
    cause = known === failed ? quoting(failed, beside) : known;
  }
  if (isReadable && cause.evidence?.error_text === undefined) cause = refusedThoughReadable(cause);
  if (cause === failed) return finding;
  return { ...finding, fault: { ...fault, fix: cause.hint, diagnosis: cause } };
}

/** An error that isn't known is quoted. */
function quoting(failed: Diagnosis, beside: string): Diagnosis {
  const lines = beside.split('\n').map((line) => line.trim());
  const named =
    /^(?:Caused by: )?(?:[\w.$\\]{1,200}(?:Error|Exception)\b|(?:\w{1,80}\.){1,12}[A-Z]\w{1,80}: )/;
  const line = lines.findLast((each) => named.test(each)) ?? lines[0] ?? '';
  const text = excerptOf(line, 160);
  const message = `${failed.message} The log says beside it: "${text}".`;
  return { ...failed, message, evidence: { ...failed.evidence, error_text: text } };
}

function judgeResponse(
  exchange: Exchange,
  operation: CapturedExchange['operation'],
  cipher: Cipher,
): Promise<CallOutcome<object>> {
  if (operation === 'registration') return judgeRegistration(exchange, cipher);
  if (operation === 'token') return judgeExchange(exchange, operations.token.readResponse);
  return judgeExchange(exchange, operations.authenticate.readResponse);
}

function diagnosesOf(findings: readonly Finding[]): readonly Diagnosis[] {
  const all = findings.flatMap(({ fault }) => fault.diagnosis ?? []);
  return all.filter(({ code }, index) => all.findIndex((each) => each.code === code) === index);
}

/** What a payload turned out to be. */
export interface JudgedPayload {
  readonly plaintext?: Secret;
  readonly diagnosis?: Diagnosis;
  /** It decrypts under another cipher than the one that is set: a matter of settings. */
  readonly fits?: boolean;
  /** Where nothing decrypts it: whether that still holds once a later payload has shown the cipher. */
  readonly isStillWrong?: () => boolean;
}

/** A search for the cipher takes up to a second, and after this many in vain the next finds nothing either. */
const mostSearches = 8;

/** Decrypts payloads whose key is known; searches for the cipher where the one that is set doesn't fit. */
export class PayloadJudge {
  #found: { readonly cipher: Cipher; readonly diagnosis: Diagnosis } | undefined;
  #searches = 0;

  judge(field: PayloadField, payload: string, key: Secret, cipher: Cipher): JudgedPayload {
    const under = (each: Cipher) => textUnder(payload, key, each, field);
    const plaintext = under(cipher);
    if (plaintext !== undefined) return { plaintext };
    const again = this.#found && under(this.#found.cipher);
    if (again !== undefined)
      return { plaintext: again, fits: true, diagnosis: this.#found?.diagnosis };
    const sealed = { payload, key: key.reveal(), cipher, field, kind: payloadKinds[field] };
    const isStillWrong = () => this.#found === undefined || !under(this.#found.cipher);
    if (this.#searches >= mostSearches) {
      return { diagnosis: diagnoseFailedStep(sealed), isStillWrong };
    }
    this.#searches += 1;
    const { diagnosis, fittingCipher } = diagnosePayload(sealed);
    if (fittingCipher === undefined) return { diagnosis, isStillWrong };
    this.#found = { cipher: parseCipher(fittingCipher), diagnosis };
    return { diagnosis, fits: true, plaintext: under(this.#found.cipher) };
  }

  /** Compares `ptn_sp` with the passcode, under the cipher that is set, or else the one that was found to fit. */
  async judgePasscode(ptnSp: string, user: UserSecrets, cipher: Cipher): Promise<JudgedPayload> {
    const isUnderSet = user.key && textUnder(ptnSp, user.key, cipher, 'ptn_sp') !== undefined;
    const fitting = isUnderSet ? cipher : (this.#found?.cipher ?? cipher);
    const { diagnosis, plaintext } = await checkPasscode(ptnSp, user, fitting);
    const text = plaintext && decodeUtf8(plaintext);
    return { diagnosis, plaintext: text === undefined ? undefined : Secret.text(text) };
  }
}

function textUnder(
  payload: string,
  key: Secret,
  cipher: Cipher,
  field: PayloadField,
): Secret | undefined {
  const result = decryptPayload(payload, key.reveal(), cipher);
  if (!result.ok) return undefined;
  const sealed = { payload, key: key.reveal(), cipher, field, kind: payloadKinds[field] };
  const doubt = examinePlaintext(sealed, result.plaintext);
  const text = doubt === undefined ? decodeUtf8(result.plaintext) : undefined;
  return text === undefined ? undefined : Secret.text(text);
}
