import { AuthcliError } from '../errors.ts';
import type { Fault, ResponsePoints } from './faults/points.ts';
import type { Activation, Switchboard } from './faults/switchboard.ts';
import type { Journal, JournalFilter } from './journal.ts';

/** The switchboard of either side. */
export interface FaultControl
  extends Pick<Switchboard<ResponsePoints>, 'switchOn' | 'switchOff' | 'active'> {
  readonly catalogue: readonly Pick<
    Fault<ResponsePoints>,
    'name' | 'title' | 'check' | 'diagnosis'
  >[];
}

/** The values for a sign-up; whoever runs it invents those that are missing. */
export interface SignupOrder {
  readonly ptnCd?: string;
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly superPasscode?: string;
  /** Where to, if the emulator was not started with it. */
  readonly callbackUrl?: string;
}

/** What the control paths of one emulator show and change. */
export interface Control {
  readonly side: 'application' | 'service';
  readonly journal: Journal;
  readonly faults: FaultControl;
  /** Runs a sign-up at the application and returns what to show as JSON; without it the path is missing. */
  readonly signUp?: (order: SignupOrder) => Promise<Readonly<Record<string, unknown>>>;
  /** Issues a `ptn_token` as the client library does; without it the path is missing. */
  readonly issuePtnToken?: (ptnCd: string) => string;
  /** Forgets what earlier requests left behind; without it the path is missing. */
  readonly reset?: () => void;
  /** Shown by `health`; no secrets. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** One control path with one method; `path` comes after the prefix. */
export interface ControlRoute {
  readonly method: string;
  readonly path: string;
  readonly purpose: string;
  readonly run: (call: ControlCall) => unknown;
}

export interface ControlCall {
  readonly control: Control;
  readonly query: URLSearchParams;
  /** The JSON object of the body; empty where there is no body. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Every control path, for its handler, help texts and the response to an unknown one. */
export const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: 'health', purpose: 'the state of the emulator', run: health },
  {
    method: 'GET',
    path: 'journal',
    purpose: 'what it received and responded; ?ptn_cd= operation= path= code= fault= after= last=',
    run: readJournal,
  },
  { method: 'DELETE', path: 'journal', purpose: 'clear the journal', run: resetJournal },
  {
    method: 'POST',
    path: 'journal/reset',
    purpose: 'clear the journal, with POST',
    run: resetJournal,
  },
  {
    method: 'GET',
    path: 'faults',
    purpose: 'all faults, and the active ones',
    run: listFaults,
  },
  {
    method: 'POST',
    path: 'faults',
    purpose: 'turn a fault on: {"name", "times"?, "ptn_cd"?}',
    run: switchOn,
  },
  {
    method: 'DELETE',
    path: 'faults',
    purpose: 'turn faults off; ?name= for one',
    run: switchOff,
  },
  {
    method: 'POST',
    path: 'reset',
    purpose: 'forget the users in memory, the tokens, and what faults remember; faults stay on',
    run: reset,
  },
  {
    method: 'POST',
    path: 'signup',
    purpose:
      'sign up a user: {"ptn_cd"?, "email"?, "name"?, "phone"?, "super_passcode"?, "callback_url"?}',
    run: signUp,
  },
  {
    method: 'POST',
    path: 'ptn-token',
    purpose: 'issue a ptn_token as the client library does: {"ptn_cd"}',
    run: issueToken,
  },
];

/** The routes of this emulator: `reset`, `signup` and `ptn-token` only where they can be run. */
export function routesOf(control: Control): readonly ControlRoute[] {
  const missing = [
    ...(control.reset === undefined ? [reset] : []),
    ...(control.signUp === undefined ? [signUp] : []),
    ...(control.issuePtnToken === undefined ? [issueToken] : []),
  ];
  return controlRoutes.filter(({ run }) => !missing.some((other) => other === run));
}

function health({ control: { side, settings, journal, faults } }: ControlCall): unknown {
  return {
    side,
    ...settings,
    calls: journal.total,
    faults: faults.active().map(describeActivation),
  };
}

function readJournal({ control, query }: ControlCall): unknown {
  const filter: JournalFilter = {
    ptnCd: query.get('ptn_cd') ?? undefined,
    operation: query.get('operation') ?? undefined,
    path: query.get('path') ?? undefined,
    code: query.get('code') ?? undefined,
    fault: query.get('fault') ?? undefined,
    after: wholeNumber('after', query.get('after')),
    last: wholeNumber('last', query.get('last')),
  };
  return { total: control.journal.total, entries: control.journal.read(filter) };
}

function resetJournal({ control }: ControlCall): unknown {
  return { removed: control.journal.reset() };
}

function reset({ control }: ControlCall): unknown {
  control.reset?.();
  return {};
}

function listFaults({ control: { faults } }: ControlCall): unknown {
  const available = faults.catalogue.map(({ name, title, check, diagnosis }) => {
    return { name, title, check, diagnosis };
  });
  return { active: faults.active().map(describeActivation), available };
}

function switchOn({ control, fields }: ControlCall): unknown {
  const { times } = fields;
  if (times !== undefined && typeof times !== 'number') throw wrongField('times', 'a whole number');
  const name = textField(fields, 'name');
  if (name === undefined) throw wrongField('name', 'the name of a fault');
  control.faults.switchOn({ name, times, ptnCd: textField(fields, 'ptn_cd') });
  return { active: control.faults.active().map(describeActivation) };
}

function switchOff({ control: { faults }, query }: ControlCall): unknown {
  const removed = faults.switchOff(query.get('name') ?? undefined);
  return { removed, active: faults.active().map(describeActivation) };
}

async function signUp({ control, fields }: ControlCall): Promise<unknown> {
  return await control.signUp?.({
    ptnCd: textField(fields, 'ptn_cd'),
    email: textField(fields, 'email'),
    name: textField(fields, 'name'),
    phone: textField(fields, 'phone'),
    superPasscode: textField(fields, 'super_passcode'),
    callbackUrl: textField(fields, 'callback_url'),
  });
}

function issueToken({ control, fields }: ControlCall): unknown {
  const ptnCd = textField(fields, 'ptn_cd');
  if (ptnCd === undefined || ptnCd === '') throw wrongField('ptn_cd', 'the code of a user');
  return { ptn_token: control.issuePtnToken?.(ptnCd), ptn_cd: ptnCd };
}

function describeActivation({ name, times, ptnCd }: Activation): Readonly<Record<string, unknown>> {
  return { name, times, ptn_cd: ptnCd };
}

function textField(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw wrongField(name, 'a string');
}

function wholeNumber(name: string, text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw wrongField(name, 'a whole number');
  return Number(text);
}

function wrongField(name: string, wanted: string): AuthcliError {
  return new AuthcliError('usage', `${name} must be ${wanted}.`);
}
