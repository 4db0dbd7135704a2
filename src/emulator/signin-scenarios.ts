import { encodeBase64Url } from '../bytes.ts';
import { isJsonObject } from '../protocol/json-type.ts';
import { editSuccess, without } from './faults/edit.ts';
import type { Hooks, ServicePoints, Situation } from './faults/points.ts';
import { serviceFaults } from './faults.ts';
import type { Operation } from './handling.ts';
import { jsonAnswer } from './http.ts';

/** How the service behaves at one sign-in. */
export interface SigninBehaviour {
  readonly hooks?: Hooks<ServicePoints>;
  /** The acs_token is given out with an expire_dt that is over, and refused as expired. */
  readonly isExpired?: boolean;
}

/** A refusal that carries everything that an answer of success has. */
const strangeCode = { code: '0001', message: 'The sign-in is not allowed.' };

/**
 * What can go wrong on the service's side while an application signs a user in, by name; nothing
 * of it may end in a signed-in user, except under `right`.
 */
export const signinScenarios = {
  right: {},
  'token-refused': fault('refuses-token'),
  'token-refused-with-result': value('token', (answer) => ({ ...answer, ...strangeCode })),
  'token-without-acs-token': fault('acs-token-missing'),
  'token-expired': { isExpired: true },
  'token-connection-cut': cut('token'),
  'authenticate-refused': fault('refuses-authenticate'),
  'authenticate-refused-with-result': value('authenticate', (answer) => ({
    ...answer,
    ...strangeCode,
  })),
  'authenticate-without-result': value('authenticate', (answer) => without(answer, 'result')),
  'authenticate-without-ptn-sp': fault('ptn-sp-missing'),
  'authenticate-error-page': at('authenticate', () =>
    jsonAnswer(200, Buffer.from('<!DOCTYPE html><title>Maintenance</title><h1>Back soon</h1>'), {
      'content-type': 'text/html;charset=utf-8',
    }),
  ),
  'authenticate-connection-cut': cut('authenticate'),
  'passcode-other': passcode((_, { randomBytes }) => encodeBase64Url(randomBytes(18))),
  'passcode-longer': passcode((right) => `${right}0`),
  'passcode-other-case': passcode(swapCase),
  'passcode-empty': passcode(() => ''),
  'passcode-undecryptable': fault('ptn-sp-damaged'),
} as const satisfies Readonly<Record<string, SigninBehaviour>>;

/** The token answer names another user than the one whose passcode comes back. */
export function namesUser(ptnCd: string): SigninBehaviour {
  return { hooks: { ptnCd: () => ptnCd } };
}

function fault(name: string): SigninBehaviour {
  return { hooks: serviceFaults.find((each) => each.name === name)?.apply };
}

function value(
  operation: Operation,
  edit: (answer: Readonly<Record<string, unknown>>) => unknown,
): SigninBehaviour {
  return {
    hooks: { value: editSuccess((right) => isJsonObject(right) && edit(right), operation) },
  };
}

function at(
  operation: Operation,
  answer: NonNullable<Hooks<ServicePoints>['answer']>,
): SigninBehaviour {
  return {
    hooks: {
      answer: (right, seen) => (seen.operation === operation ? answer(right, seen) : right),
    },
  };
}

function cut(operation: Operation): SigninBehaviour {
  return at(operation, (right) => ({ ...right, delivery: { breakOff: 'reset' } }));
}

function passcode(change: (right: string, seen: Situation) => string): SigninBehaviour {
  return { hooks: { passcode: change } };
}

function swapCase(text: string): string {
  return [...text]
    .map((letter) => {
      const upper = letter.toUpperCase();
      return upper === letter ? letter.toLowerCase() : upper;
    })
    .join('');
}
