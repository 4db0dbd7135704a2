import type { Expectation, Verdict } from './expectation.ts';
import { newToken, type SignInState, type TokenId, type TokenState } from './service-state.ts';

/** A request of a sign-in as far as its response depends on it. */
export interface SignInRequest {
  /** The operation, which distinguishes what the interface leaves open. */
  readonly operation: string;
  readonly kind: 'token' | 'authenticate';
  /** `odd`: should be refused; `invalid`: must be refused. */
  readonly form: 'valid' | 'odd' | 'invalid';
  /** The `ptn_token` or `acs_token` of the user that it sends; undefined for one that no user has. */
  readonly token: TokenId | undefined;
  /** Of that token: `unsure` where its expiry is near or not known. */
  readonly age: 'fresh' | 'unsure' | 'expired';
}

/** A request and its response; `acsToken` is the one that an accepted token request gave. */
export interface SignInEvent {
  readonly request: SignInRequest;
  readonly verdict: Verdict;
  /** False where a connection failed, or a server error came: that ends no token. */
  readonly isDecided: boolean;
  readonly acsToken?: TokenId;
}

/** What a right service answers for a user in this state. */
export function expectSignIn(state: SignInState, request: SignInRequest): Expectation {
  const { form, kind, operation } = request;
  if (form === 'invalid') return must('refused', `The request is malformed (${clauses[kind]}).`);
  if (form === 'odd') {
    const why = 'Whether such a request is refused is left open; the service must do it always.';
    return { verdict: 'open', choice: operation, why };
  }
  return kind === 'token' ? expectOfToken(state, request) : expectOfAuthenticate(state, request);
}

const clauses = { token: '4.2.1, section 5', authenticate: '4.2.2, section 5' } as const;

function expectOfToken(state: SignInState, { token, age }: SignInRequest): Expectation {
  const known = state.ptnTokens.find(({ id }) => id === token);
  if (known?.isOver) return must('refused', 'The ptn_token was refused before.');
  if (known !== undefined && known.uses > 0) {
    if (state.policy.ptnOnce) {
      return must('refused', 'It was exchanged before, and this service takes a ptn_token once.');
    }
    return ofUsed(known, age, `a ptn_token after ${known.uses}`);
  }
  if (known?.isDoubtful || age !== 'fresh') return undecided;
  return must('accepted', 'The ptn_token is new and valid (4.2.1).');
}

function expectOfAuthenticate(state: SignInState, { token, age }: SignInRequest): Expectation {
  const index = state.acsTokens.findIndex(({ id }) => id === token);
  const known = state.acsTokens[index];
  if (known === undefined) return must('refused', 'The acs_token was never issued (4.2.2).');
  if (age === 'expired') return must('refused', 'The acs_token is past its expire_dt (2.1).');
  if (known.isOver) return must('refused', 'The acs_token was refused before.');
  if (known.uses > 0) {
    if (state.policy.acsOnce) {
      return must('refused', 'It was used before, and this service accepts an acs_token once.');
    }
    return ofUsed(known, age, `an acs_token after ${known.uses}`);
  }
  if (known.isDoubtful || age === 'unsure') return undecided;
  const newer = state.acsTokens.slice(index + 1);
  if (newer.length > 0) {
    const used = newer.some(({ uses }) => uses > 0) ? ', of which one was used' : '';
    const why = 'Whether an earlier acs_token still works is left open; always the same way.';
    return { verdict: 'open', choice: `an acs_token before ${newer.length} newer${used}`, why };
  }
  return must('accepted', 'It is the latest acs_token of its user, and was not used (4.2.2).');
}

/** Whether a used token works again is left open, unless something else may have ended it. */
function ofUsed({ isDoubtful }: TokenState, age: SignInRequest['age'], choice: string) {
  if (isDoubtful || age !== 'fresh') return undecided;
  const why = 'How often a token works is left open; the service must do it always.';
  return { verdict: 'open', choice, why } as const;
}

const undecided: Expectation = {
  verdict: 'open',
  why: 'The token may have ended: by its age, or by a refused request with it.',
};

function must(verdict: Verdict, why: string): Expectation {
  return { verdict, why };
}

/** The states that a user in this state may be in after an allowed response. */
export function nextSignIns(state: SignInState, event: SignInEvent): readonly SignInState[] {
  const { request, verdict } = event;
  if (verdict === 'refused') return [afterRefusal(state, event)];
  const accepted = afterAcceptance(state, event);
  return request.form === 'valid' ? [accepted] : [accepted, state];
}

function afterRefusal(state: SignInState, { request, isDecided }: SignInEvent): SignInState {
  const { kind, token, form } = request;
  if (form !== 'valid') return doubted(state, kind, (each) => each.id === token);
  const known = tokensOf(state, kind).find(({ id }) => id === token);
  if (known === undefined || !isDecided) return state;
  const over = changed(state, kind, (each) =>
    each.id === token ? { ...each, isOver: true } : each,
  );
  // RFC 6749 section 4.1.2: a code that is used again may end all tokens that came of it.
  return known.uses > 0 ? doubted(over, 'authenticate', () => true) : over;
}

function afterAcceptance(state: SignInState, { request, acsToken }: SignInEvent): SignInState {
  const { kind, token } = request;
  if (token === undefined) return state;
  const isNew = !tokensOf(state, kind).some(({ id }) => id === token);
  const known =
    isNew && kind === 'token'
      ? { ...state, ptnTokens: [...state.ptnTokens, newToken(token)] }
      : state;
  const used = changed(known, kind, (each) =>
    each.id === token ? { ...each, uses: each.uses + 1 } : each,
  );
  if (kind === 'authenticate' || acsToken === undefined) return used;
  // A service may return the same acs_token again.
  const same = used.acsTokens.find(({ id }) => id === acsToken);
  const others = used.acsTokens.filter((each) => each !== same);
  const latest = same === undefined ? newToken(acsToken) : { ...same, isDoubtful: true };
  return { ...used, acsTokens: [...others, latest] };
}

function doubted(
  state: SignInState,
  kind: SignInRequest['kind'],
  isMeant: (token: TokenState) => boolean,
): SignInState {
  return changed(state, kind, (each) => (isMeant(each) ? { ...each, isDoubtful: true } : each));
}

function tokensOf(state: SignInState, kind: SignInRequest['kind']): readonly TokenState[] {
  return kind === 'token' ? state.ptnTokens : state.acsTokens;
}

function changed(
  state: SignInState,
  kind: SignInRequest['kind'],
  change: (token: TokenState) => TokenState,
): SignInState {
  const tokens = tokensOf(state, kind).map(change);
  return kind === 'token' ? { ...state, ptnTokens: tokens } : { ...state, acsTokens: tokens };
}
