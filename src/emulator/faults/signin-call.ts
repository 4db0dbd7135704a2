/** The two calls of a sign-in, which have most faults in common. */
export type SigninCall = 'token' | 'authenticate';

/** The checks of `verify-service` that a call succeeds. */
export const successChecks: Readonly<Record<SigninCall, string>> = {
  token: 'service/issues-token',
  authenticate: 'service/token-works',
};

/** The checks of what its response contains. */
export const shapeChecks: Readonly<Record<SigninCall, string>> = {
  token: 'service/token-shape',
  authenticate: 'service/returns-passcode',
};
