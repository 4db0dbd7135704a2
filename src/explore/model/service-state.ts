/** A token of a sequence, by the number under which it was seen. */
export type TokenId = number;

/** A `ptn_token` or `acs_token` as the service may know it. */
export interface TokenState {
  readonly id: TokenId;
  /** How often it was accepted. */
  readonly uses: number;
  /** A refused request may have ended it. */
  readonly isDoubtful: boolean;
  /** It was refused after it could have been accepted, and nothing makes it valid again. */
  readonly isOver: boolean;
}

/** What the service is known to do with used tokens; undefined where that is not known. */
export interface TokenPolicy {
  readonly acsOnce?: boolean;
  readonly ptnOnce?: boolean;
}

/** What the service may know about one user. */
export interface SignInState {
  readonly policy: TokenPolicy;
  readonly ptnTokens: readonly TokenState[];
  /** In the order in which they were issued. */
  readonly acsTokens: readonly TokenState[];
}

export function newUser(policy: TokenPolicy): SignInState {
  return { policy, ptnTokens: [], acsTokens: [] };
}

/** A token that was not used yet. */
export function newToken(id: TokenId): TokenState {
  return { id, uses: 0, isDoubtful: false, isOver: false };
}

/** The names of the states of a user, as coverage counts them. */
export const signInStateNames = ['without-token', 'with-token', 'signed-in', 'again'] as const;

export type SignInStateName = (typeof signInStateNames)[number];

/** `with-token` and `again`: the latest acs_token is unused, and none or one was used before. */
export function nameOfSignIn({ acsTokens }: Pick<SignInState, 'acsTokens'>): SignInStateName {
  const latest = acsTokens.at(-1);
  if (latest === undefined) return 'without-token';
  if (latest.uses > 0) return 'signed-in';
  return acsTokens.some(({ uses }) => uses > 0) ? 'again' : 'with-token';
}
