import { createHash } from 'node:crypto';
import type { SigninInput, SigninProgram } from '../signin-program.ts';
import { comparing, finding, type KnownUser, succeeding } from './deciding.ts';
import { type Response, reading } from './reading.ts';
import { sending } from './sending.ts';

/** How an application is written: each part by its name, "plain" unless it is said. */
interface Style {
  readonly sends?: keyof typeof sending;
  readonly reads?: keyof typeof reading;
  readonly succeeds?: keyof typeof succeeding;
  readonly finds?: keyof typeof finding;
  readonly compares?: keyof typeof comparing;
  readonly body?: (fields: Readonly<Record<string, string>>) => string;
  readonly flow?: Flow;
  /** Logs what is not a secret. */
  readonly logs?: boolean;
}

/** What the steps of a sign-in work with. */
interface Steps {
  readonly post: (
    name: 'token' | 'authenticate',
    field: string,
    token: string,
  ) => Promise<Response>;
  readonly demandSuccess: (response: Response) => Record<string, unknown>;
  readonly find: (named: unknown) => Promise<KnownUser>;
  readonly check: (ptnSp: unknown, user: KnownUser) => void;
  readonly ptnToken: string;
}

type Flow = (steps: Steps) => Promise<void>;

class Refused extends Error {}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Refused('a field is missing');
  return value;
}

const oneAfterAnother: Flow = async ({ post, demandSuccess, find, check, ptnToken }) => {
  const token = demandSuccess(await post('token', 'ptn_token', ptnToken));
  const acsToken = text(token.acs_token);
  const { ptn_sp: ptnSp } = demandSuccess(await post('authenticate', 'acs_token', acsToken));
  check(ptnSp, await find(token.ptn_cd));
};

const userFirst: Flow = async ({ post, demandSuccess, find, check, ptnToken }) => {
  const token = demandSuccess(await post('token', 'ptn_token', ptnToken));
  const user = await find(token.ptn_cd);
  const response = await post('authenticate', 'acs_token', text(token.acs_token));
  check(demandSuccess(response).ptn_sp, user);
};

/** Who signs in is looked up while the service is asked. */
const bothAtOnce: Flow = async ({ post, demandSuccess, find, check, ptnToken }) => {
  const token = demandSuccess(await post('token', 'ptn_token', ptnToken));
  const acsToken = text(token.acs_token);
  const [user, response] = await Promise.all([
    find(token.ptn_cd),
    post('authenticate', 'acs_token', acsToken),
  ]);
  check(demandSuccess(response).ptn_sp, user);
};

const chained: Flow = ({ post, demandSuccess, find, check, ptnToken }) =>
  post('token', 'ptn_token', ptnToken)
    .then(demandSuccess)
    .then((token) =>
      post('authenticate', 'acs_token', text(token.acs_token))
        .then(demandSuccess)
        .then(({ ptn_sp: ptnSp }) => find(token.ptn_cd).then((user) => check(ptnSp, user))),
    );

type Context = { token?: Record<string, unknown>; ptnSp?: unknown; user?: KnownUser };
type Layer = (context: Context, next: () => Promise<void>) => Promise<void>;

/** As frameworks pass a request through layers, of which the last alone lets it through. */
const layered: Flow = async ({ post, demandSuccess, find, check, ptnToken }) => {
  let signedIn = false;
  const layers: readonly Layer[] = [
    async (context, next) => {
      context.token = demandSuccess(await post('token', 'ptn_token', ptnToken));
      await next();
    },
    async (context, next) => {
      context.user = await find(context.token?.ptn_cd);
      await next();
    },
    async (context, next) => {
      const acsToken = text(context.token?.acs_token);
      context.ptnSp = demandSuccess(await post('authenticate', 'acs_token', acsToken)).ptn_sp;
      await next();
    },
    async ({ ptnSp, user }) => {
      if (user === undefined) throw new Refused('no user');
      check(ptnSp, user);
      signedIn = true;
    },
  ];
  const context: Context = {};
  const enter = async (index: number): Promise<void> =>
    layers[index]?.(context, () => enter(index + 1));
  await enter(0);
  if (!signedIn) throw new Refused('nobody was signed in');
};

/** A sign-in as a machine with states, each of which gives the next. */
const stepwise: Flow = async ({ post, demandSuccess, find, check, ptnToken }) => {
  type State = () => Promise<State | undefined>;
  const start: State = async () => {
    const token = demandSuccess(await post('token', 'ptn_token', ptnToken));
    return authenticating(text(token.acs_token), token.ptn_cd);
  };
  const authenticating =
    (acsToken: string, named: unknown): State =>
    async () => {
      const { ptn_sp: ptnSp } = demandSuccess(await post('authenticate', 'acs_token', acsToken));
      return comparingWith(ptnSp, named);
    };
  const comparingWith =
    (ptnSp: unknown, named: unknown): State =>
    async () => {
      check(ptnSp, await find(named));
      return undefined;
    };
  for (let state: State | undefined = start; state !== undefined; ) state = await state();
};

const escaped = (fields: Readonly<Record<string, string>>): string =>
  JSON.stringify(fields).replace(
    /[^ -~]|[/<>&]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const styles = {
  'keep-alive': { sends: 'keep-alive' },
  'one-connection': { sends: 'one-connection' },
  'closes-connections': { sends: 'closes-connections', flow: userFirst },
  'chunked-request': { sends: 'chunked' },
  'waits-to-continue': { sends: 'waits-to-continue' },
  'accepts-gzip': { sends: 'accepts-gzip', reads: 'status-first' },
  'more-headers': { sends: 'more-headers', logs: true },
  'http-1.0': { sends: 'http-1.0', compares: 'byte-by-byte' },
  'small-pieces': { sends: 'small-pieces' },
  fetch: { sends: 'fetch', compares: 'in-constant-time' },
  undici: { sends: 'undici', reads: 'strictly' },
  'connection-pools': { sends: 'pools', flow: bothAtOnce },
  'tries-refused-again': { sends: 'tries-refused-again' },
  'one-at-a-time': { sends: 'one-at-a-time' },
  'slow-sign-in': { sends: 'slowly' },
  'strict-reader': { reads: 'strictly', succeeds: 'in-constant-time' },
  'tolerant-reader': { reads: 'tolerantly' },
  'names-in-any-case': { reads: 'in-any-case' },
  'refuses-duplicates': { reads: 'refuses-duplicates' },
  'first-of-duplicates': { reads: 'first-of-duplicates' },
  'code-by-a-set': { succeeds: 'by-a-set', compares: 'by-digest' },
  'code-by-a-pattern': { succeeds: 'by-a-pattern', compares: 'by-mac' },
  'code-by-a-switch': { succeeds: 'by-a-switch', compares: 'in-base64' },
  'keeps-only-a-hash': { compares: 'keeps-only-a-hash' },
  'compares-by-encrypting': { compares: 'by-encrypting' },
  'unpads-by-hand': { compares: 'unpads-by-hand' },
  'user-by-table': { finds: 'by-table', flow: chained },
  'user-by-digest': { finds: 'by-digest', flow: layered },
  'user-in-a-database': { finds: 'in-a-database', flow: bothAtOnce },
  'keeps-users': { finds: 'keeps-users', sends: 'keep-alive' },
  'keeps-keys': { finds: 'keeps-keys', flow: stepwise },
  'escapes-json': { body: escaped, logs: true },
  'spreads-json': { body: (fields) => `\n${JSON.stringify(fields, null, 4)}\n`, flow: layered },
} satisfies Readonly<Record<string, Style>>;

/** Right sign-ins, each in a style of its own; a program is made for each run. */
export const signinStyles = Object.fromEntries(
  Object.entries<Style>(styles).map(([name, style]) => [name, () => programOf(style)]),
) as Readonly<Record<keyof typeof styles, () => SigninProgram>>;

function programOf(style: Style): SigninProgram {
  const { body = JSON.stringify, flow = oneAfterAnother, logs = false } = style;
  const send = sending[style.sends ?? 'plain']();
  const find = finding[style.finds ?? 'plain']();
  const isSuccess: (code: unknown) => boolean = succeeding[style.succeeds ?? 'plain'];
  const isPasscode = comparing[style.compares ?? 'plain'];
  const read = reading[style.reads ?? 'plain'];
  return async (input, print) => {
    const log = logs ? print : () => {};
    const post: Steps['post'] = async (name, field, token) => {
      const fields = { client_id: input.clientId, secret_key: input.secretKey, [field]: token };
      const reply = await send(`${input.authUrl}/process/${name}`, body(fields));
      const response = read(reply);
      log(`${name}: HTTP ${reply.status}, code ${response.code}, token ${fingerprint(token)}`);
      return response;
    };
    const demandSuccess = ({ code, message, result }: Response) => {
      if (!isSuccess(code)) throw new Refused(`${code}: ${message}`);
      return (result ?? {}) as Record<string, unknown>;
    };
    const users = usersOf(input);
    log(`${users.length} users, keys ${users.map(({ key }) => fingerprint(key))}`);
    await flow({
      post,
      demandSuccess,
      ptnToken: input.ptnToken,
      find: async (named) => {
        const user = await find(named, users);
        if (user === undefined) throw new Refused(`unknown user ${named}`);
        return user;
      },
      check: (ptnSp, user) => {
        if (!isPasscode(text(ptnSp), user)) throw new Refused('another passcode');
        log(`${user.ptnCd} is signed in`);
      },
    });
  };
}

function usersOf({ users }: SigninInput): readonly KnownUser[] {
  return [...users].map(([ptnCd, secrets]) => ({ ptnCd, ...secrets }));
}

/** As logs name a secret. */
function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 12);
}
