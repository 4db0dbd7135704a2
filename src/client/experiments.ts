import { encodeBase64 } from '../bytes.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import type { RsaPublicKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { bodyCalls, publicKeyCalls, storeCalls } from '../diagnosis/calls.ts';
import type { CallbackStep } from '../diagnosis/error-situations.ts';
import type { Calls } from '../errors.ts';
import { encodeUserInformation } from '../protocol/user.ts';
import { inAscii } from '../text.ts';
import { editFields } from './call.ts';
import type { Exchange, WireRequest } from './exchange.ts';
import { generateKeyPairLike } from './key-pair.ts';
import type { SignupInput } from './signup.ts';

/** What an attempt does otherwise than the callback that was refused. */
export interface Variation {
  readonly input?: Partial<SignupInput>;
  /** Changes the request that was refused; given the key exchange before it. */
  readonly alter?: (request: WireRequest, keyExchange?: Exchange) => WireRequest;
  readonly connection?: 'fresh';
  /** The user whose callback was refused with everything the same; a new one by default. */
  readonly user?: 'second';
  /** Before a registration; one by default. */
  readonly keyExchanges?: 0 | 1;
  readonly pauseMs?: number;
}

/** What an experiment can go by. */
export interface Circumstances {
  /** What the callback that was refused is made of. */
  readonly input: SignupInput;
  /** The latest key exchange before a registration. */
  readonly keyExchange?: Exchange | undefined;
  /** A registration of a user who never exchanged a key was refused in the same way. */
  readonly isLikeUnknown: boolean;
  readonly inventsUsers: boolean;
}

/** One property of a refused callback, and what it proves if it is accepted with another. */
export interface Experiment {
  readonly name: string;
  /** After "The application accepts", and where it makes no difference, in the list of what was tried. */
  readonly accepts: string;
  /** After "and refuses", with what the interface asks for. */
  readonly refuses: string;
  readonly fix: string;
  readonly calls?: Calls;
  /** Undefined where the property is as it should be, or isn't there. */
  readonly vary: (given: Circumstances) => Promise<Variation | undefined> | Variation | undefined;
}

const usedTypeCalls: Calls = {
  java: '"1".equals(request.usedType()) // String usedType',
  kotlin: 'request.usedType == "1" // val usedType: String',
  node: "body.used_type === '1'",
  python: 'body["used_type"] == "1"',
  php: "$body['used_type'] === '1'",
  go: 'request.UsedType == "1" // UsedType string `json:"used_type"`',
  csharp: 'request.UsedType == "1" // string UsedType',
  ruby: "body['used_type'] == '1'",
};

const usedTypeNumber: Experiment = {
  name: 'used-type-number',
  accepts: 'used_type as a number',
  refuses: 'it as a string; section 4.1 asks for the strings "1" and "2"',
  fix: 'Read used_type as a string, and compare it with "1" and "2".',
  calls: usedTypeCalls,
  vary: () => ({ alter: withField('used_type', Number) }),
};

/** The likeliest first. */
export const experiments: Readonly<Record<CallbackStep, readonly Experiment[]>> = {
  'key-exchange': [
    {
      name: 'content-type',
      accepts: '"Content-type: application/json"',
      refuses: '"Content-type: application/json;charset=utf-8"; section 4 asks for the latter',
      fix: 'Accept application/json;charset=utf-8: compare the media type without its parameters.',
      vary: () => ({ alter: (request) => withHeader(request, 'Content-type', 'application/json') }),
    },
    {
      name: 'form',
      accepts: 'the fields as a form',
      refuses: 'them as JSON; section 4 asks for JSON',
      fix: 'Parse the body of the request as JSON.',
      calls: bodyCalls,
      vary: () => ({ alter: asForm }),
    },
    usedTypeNumber,
    {
      name: 'public-key-pem',
      accepts: 'a public_key in PEM',
      refuses: 'the Base64 alone; section 2.2 asks for Base64 of an X.509 SubjectPublicKeyInfo',
      fix: 'Decode the Base64, and read the bytes as a SubjectPublicKeyInfo; or put the lines of PEM around it first.',
      calls: publicKeyCalls,
      vary: ({ input: { keyPair } }) => ({
        alter: withField('public_key', () =>
          keyPair.publicKey.keyObject.export({ type: 'spki', format: 'pem' }),
        ),
      }),
    },
    {
      name: 'public-key-pkcs1',
      accepts: 'a public_key in PKCS #1',
      refuses: 'the SubjectPublicKeyInfo; section 2.2 asks for the latter',
      fix: 'Read the decoded bytes as an X.509 SubjectPublicKeyInfo.',
      calls: publicKeyCalls,
      vary: ({ input: { keyPair } }) => ({
        alter: withField('public_key', () =>
          encodeBase64(keyPair.publicKey.keyObject.export({ type: 'pkcs1', format: 'der' })),
        ),
      }),
    },
    {
      name: 'public-key-2048',
      accepts: 'a public_key of 2048 bits',
      refuses: 'one of another size; section 2.2 names no size',
      fix: 'Take the size from the public_key of the request, and make room for it in columns and buffers.',
      vary: ({ input: { keyPair } }) =>
        keyPair.modulusBits === 2048
          ? undefined
          : withKeyPairLike({ ...keyPair.publicKey, modulusBits: 2048 }),
    },
    {
      name: 'public-exponent',
      accepts: 'a public_key with the exponent 65537',
      refuses: 'one with another; section 2.2 names no exponent',
      fix: 'Take the exponent from the public_key of the request.',
      calls: publicKeyCalls,
      vary: ({ input: { keyPair } }) =>
        keyPair.publicKey.publicExponent === 65537n
          ? undefined
          : withKeyPairLike({ ...keyPair.publicKey, publicExponent: 65537n }),
    },
    {
      name: 'path-slash',
      accepts: 'the path with, or without, a / at its end',
      refuses: 'the one that was given',
      fix: 'Register the URL as the application serves it, and give that one here.',
      vary: ({ input: { url } }) => ({ input: { url: withOtherEnd(url) } }),
    },
    // without a zero, at which some languages begin an octal number
    ofUserCode('digits', '123456789', 12, 'Store ptn_cd as text, not as a number'),
    ofUserCode('letters', 'abcdefghijkl', 12, 'Allow digits and hyphens in ptn_cd'),
    ofUserCode('short', 'abcdefghijkl', 4, 'Make room for longer values of ptn_cd'),
  ],
  registration: [
    {
      name: 'ascii',
      accepts: 'a passcode and user information in ASCII',
      refuses: 'other characters; section 2.3 asks for names, which have others',
      fix: 'Read the decrypted bytes as UTF-8, and store them in columns whose charset and length take these characters (MySQL: utf8mb4).',
      vary: ({ input: { superPasscode, userInfo } }) => {
        const passcode = superPasscode.reveal();
        const texts = [passcode, userInfo?.reveal() ?? ''];
        if (texts.every((text) => inAscii(text) === text)) return undefined;
        const plain = Secret.text(inAscii(passcode));
        return { input: { superPasscode: plain, userInfo: userInfo && plainUserInfo } };
      },
    },
    {
      name: 'without-user-info',
      accepts: 'a registration without ubifill',
      refuses: 'one with it; section 4.1.2 asks for both, and leaves open what ubifill contains',
      fix: "Accept the registration even if ubifill can't be used: the interface fixes neither its format nor its fields. Log its decrypted text: where that is damaged, so is the passcode, by the same IV, padding or encoding.",
      vary: ({ input }) => input.userInfo && { input: { userInfo: undefined } },
    },
    {
      name: 'with-user-info',
      accepts: 'a registration with ubifill',
      refuses: 'one without it; section 4.1.2 asks for both',
      fix: 'Accept a registration without ubifill, which is optional.',
      vary: ({ input }) => (input.userInfo ? undefined : { input: { userInfo: plainUserInfo } }),
    },
    {
      name: 'short-passcode',
      accepts: 'a passcode of eight characters',
      refuses: 'a longer one; section 4.1.2 limits no length',
      fix: 'Make room for longer passcodes, encrypted and decrypted ones, in columns and buffers.',
      vary: ({ input: { superPasscode, randomBytes } }) => {
        if (superPasscode.reveal().length <= 8) return undefined;
        const short = generatePerUserKey(randomBytes, 8);
        return { input: { superPasscode: Secret.text(short) } };
      },
    },
    {
      name: 'cookie',
      accepts: "a registration that returns the key exchange's cookie",
      refuses:
        'one without; section 4.1.1 asks for a key stored for its ptn_cd, and the service keeps no cookies',
      fix: 'Store the key under ptn_cd in a database, not in a session.',
      calls: storeCalls,
      vary: ({ keyExchange }) =>
        cookiesOf(keyExchange) === ''
          ? undefined
          : { alter: withCookiesOf, user: 'second', keyExchanges: 0 },
    },
    {
      name: 'pause',
      accepts: 'a registration a second after the key exchange',
      refuses: 'one right after it; section 4.1.1 asks for the key to be stored by then',
      fix: 'Store the key, and commit it, before responding to the key exchange.',
      calls: storeCalls,
      vary: ({ isLikeUnknown }) =>
        isLikeUnknown ? { user: 'second', keyExchanges: 0, pauseMs: 1000 } : undefined,
    },
    {
      name: 'second-key-exchange',
      accepts: 'a registration after a second key exchange of the user',
      refuses: 'one after the first; section 4.1.1 asks for every key to be stored',
      fix: 'Store the key of the first key exchange of a user too.',
      calls: storeCalls,
      vary: ({ isLikeUnknown }) => (isLikeUnknown ? { user: 'second' } : undefined),
    },
    usedTypeNumber,
    {
      name: 'new-connection',
      accepts: 'a registration over a new connection',
      refuses:
        'one over the connection of the key exchange; section 4.1 asks for two requests, over whatever connections',
      fix: 'Read each request of a connection to its end, by its Content-Length, before the next.',
      vary: () => ({ connection: 'fresh' }),
    },
  ],
};

/** For a list of experiments on one callback. */
export function inWords({ accepts }: Experiment): string {
  return accepts.replace(/^a registration /, '');
}

const plainUserInfo = Secret.text(
  encodeUserInformation({ email: 'probe@example.com', name: 'Test User', phone: '+1-555-0100' }),
);

function ofUserCode(kind: string, alphabet: string, length: number, fix: string): Experiment {
  return {
    name: `user-code-${kind}`,
    accepts: `a ptn_cd of ${length} ${kind === 'digits' ? 'digits' : 'letters'}`,
    refuses: 'the one that was sent; section 2.1 asks for a String',
    fix: `${fix}; or, if the codes of your users are all like this, give one here (--ptn-cd; for verify, --user-codes).`,
    vary: ({ inventsUsers, input: { randomBytes } }) =>
      inventsUsers
        ? { input: { ptnCd: generatePerUserKey(randomBytes, length, alphabet) } }
        : undefined,
  };
}

function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  const others = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: [[name, value], ...others] };
}

function withField(name: string, edit: (value: unknown) => unknown): Variation['alter'] {
  return (request) => editFields(request, (fields) => ({ ...fields, [name]: edit(fields[name]) }));
}

function asForm(request: WireRequest): WireRequest {
  const sent = editFields(request, (fields) => {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    return form.toString();
  });
  return withHeader(sent, 'Content-type', 'application/x-www-form-urlencoded');
}

async function withKeyPairLike(like: RsaPublicKey): Promise<Variation> {
  return { input: { keyPair: await generateKeyPairLike(like) } };
}

function withOtherEnd(url: URL): URL {
  const other = new URL(url);
  const { pathname } = url;
  other.pathname = pathname.endsWith('/') ? pathname.slice(0, -1) : `${pathname}/`;
  return other;
}

/** The cookies that a response sets, as a request returns them (RFC 6265 5.4). */
function cookiesOf(exchange: Exchange | undefined): string {
  const set = exchange?.response?.headers.filter(([name]) => name.toLowerCase() === 'set-cookie');
  return (set ?? []).map(([, value]) => value.split(';', 1)[0]?.trim()).join('; ');
}

function withCookiesOf(request: WireRequest, keyExchange?: Exchange): WireRequest {
  return withHeader(request, 'Cookie', cookiesOf(keyExchange));
}
