import { AuthcliError } from '../errors.ts';
import type { Activation } from './faults/switchboard.ts';
import type { Journal, JournalFilter } from './journal.ts';

/** What the control paths need of a switchboard. */
export interface FaultControl {
  readonly catalogue: readonly {
    readonly name: string;
    readonly title: string;
    readonly check: string;
    readonly diagnosis: string;
  }[];
  switchOn(activation: Activation): void;
  switchOff(name?: string): number;
  active(): readonly Activation[];
}

/** What a sign-up may be told; everything left out is made up by whoever runs it. */
export interface SignupOrder {
  readonly ptnCd?: string;
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly superPasscode?: string;
}

/** What stands behind the control paths of one emulator. */
export interface Control {
  readonly side: 'application' | 'service';
  readonly journal: Journal;
  readonly faults: FaultControl;
  /** Runs a sign-up towards the application; its result goes out as JSON. Absent: there is no such path. */
  readonly signUp?: (order: SignupOrder) => Promise<Readonly<Record<string, unknown>>>;
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

/** What the control paths are and do, for help texts and for who asks for one that there is not. */
export const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: 'health', purpose: 'whether the emulator runs, and how', run: health },
  {
    method: 'GET',
    path: 'journal',
    purpose: 'what was received and answered; ?ptn_cd= operation= path= code= fault= after= last=',
    run: readJournal,
  },
  { method: 'DELETE', path: 'journal', purpose: 'forget what was received', run: resetJournal },
  { method: 'POST', path: 'journal/reset', purpose: 'the same, with POST', run: resetJournal },
  {
    method: 'GET',
    path: 'faults',
    purpose: 'the faults there are, and those that are on',
    run: listFaults,
  },
  {
    method: 'POST',
    path: 'faults',
    purpose: 'switch a fault on: {"name", "times"?, "ptn_cd"?}',
    run: switchOn,
  },
  {
    method: 'DELETE',
    path: 'faults',
    purpose: 'switch faults off; ?name= for one',
    run: switchOff,
  },
  {
    method: 'POST',
    path: 'signup',
    purpose:
      'sign a user up at the callback URL: {"ptn_cd"?, "email"?, "name"?, "phone"?, "super_passcode"?}',
    run: signUp,
  },
];

/** The routes that this emulator has: `signup` only where something does it. */
export function routesOf({ signUp: run }: Control): readonly ControlRoute[] {
  return controlRoutes.filter((route) => route.run !== signUp || run !== undefined);
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

function listFaults({ control: { faults } }: ControlCall): unknown {
  const available = faults.catalogue.map(({ name, title, check, diagnosis }) => ({
    name,
    title,
    check,
    diagnosis,
  }));
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
  });
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
