import assert from 'node:assert/strict';
import type { TlsOptions } from 'node:tls';
import { type Asked, at, type ConnectionCase, type Lab, seenBy } from './lab.ts';

/** Asserts that a command ended so. */
export function ended(asked: Asked, status: number, code?: string): void {
  assert.deepEqual([asked.status, asked.code], [status, code], asked.stderr);
}

const failsWith = (code: string) => (asked: Asked) => ended(asked, code === 'usage' ? 2 : 3, code);
const succeeds = (asked: Asked) => ended(asked, 0);

interface Certified {
  readonly name: string;
  readonly server?: (lab: Lab) => TlsOptions;
  readonly argv?: (lab: Lab) => readonly string[];
  readonly env?: (lab: Lab) => Readonly<Record<string, string>>;
  readonly host?: string;
  readonly expect: (asked: Asked) => void;
}

const trusted = (lab: Lab) => ['--ca', lab.ca];
const wantsClient = (lab: Lab): TlsOptions => ({
  requestCert: true,
  rejectUnauthorized: true,
  ca: lab.authority.cert,
});

/** Which certificates are trusted, and which are not. */
const certified: readonly Certified[] = [
  { name: 'HTTPS is verified by default', expect: failsWith('tls-untrusted') },
  { name: '--ca trusts an authority', argv: trusted, expect: succeeds },
  {
    name: 'AUTHCLI_CA trusts an authority',
    env: (lab) => ({ AUTHCLI_CA: lab.ca }),
    expect: succeeds,
  },
  {
    name: '--ca takes several certificates in one file',
    argv: (lab) => ['--ca', lab.file('bundle.pem', lab.other.cert + lab.authority.cert)],
    expect: succeeds,
  },
  {
    name: '--ca takes DER',
    argv: (lab) => [
      '--ca',
      lab.file('ca.der', Buffer.from(lab.authority.cert.replace(/-----.*-----|\s/g, ''), 'base64')),
    ],
    expect: succeeds,
  },
  {
    name: 'another authority is not enough',
    argv: (lab) => ['--ca', lab.otherCa],
    expect: failsWith('tls-untrusted'),
  },
  {
    name: '--ca without a certificate',
    argv: (lab) => ['--ca', lab.file('none.pem', 'nothing')],
    expect: failsWith('usage'),
  },
  { name: '--ca of no file', argv: () => ['--ca', 'no-such-file.pem'], expect: failsWith('usage') },
  {
    name: 'a certificate that expired',
    server: (lab) => lab.issue({ validFrom: -9, validTo: -3 }),
    argv: trusted,
    expect: failsWith('tls-expired'),
  },
  {
    name: 'a certificate of the future',
    server: (lab) => lab.issue({ validFrom: 3, validTo: 9 }),
    argv: trusted,
    expect: failsWith('tls-expired'),
  },
  {
    name: 'a certificate for another name',
    server: (lab) => lab.issue({ names: ['elsewhere.example'], addresses: [] }),
    argv: trusted,
    expect: failsWith('tls-hostname'),
  },
  {
    name: 'a certificate without the address of the URL',
    server: (lab) => lab.issue({ addresses: ['127.0.0.9'] }),
    argv: trusted,
    host: '127.0.0.1',
    expect: failsWith('tls-hostname'),
  },
  {
    name: 'a certificate with the address of the URL',
    argv: trusted,
    host: '127.0.0.1',
    expect: succeeds,
  },
  {
    name: 'a name in the subject, and others beside it that count',
    server: (lab) => lab.issue({ commonName: 'localhost', names: ['elsewhere.example'] }),
    argv: trusted,
    expect: failsWith('tls-hostname'),
  },
  {
    name: '--insecure accepts, and says so',
    argv: () => ['--insecure'],
    expect: acceptedInsecurely,
  },
  {
    name: '--insecure says so under --quiet too',
    argv: () => ['--insecure', '--quiet'],
    expect: acceptedInsecurely,
  },
  {
    name: 'no variable switches the verification off',
    env: () => ({ AUTHCLI_INSECURE: '1', INSECURE: '1' }),
    expect: failsWith('tls-untrusted'),
  },
  {
    name: 'a client certificate that is wanted',
    server: wantsClient,
    argv: (lab) => [...trusted(lab), ...lab.clientArguments(lab.issue())],
    expect: succeeds,
  },
  {
    name: 'a client certificate that is wanted, TLS 1.2',
    server: (lab) => ({ ...wantsClient(lab), maxVersion: 'TLSv1.2' }),
    argv: (lab) => [...trusted(lab), ...lab.clientArguments(lab.issue())],
    expect: succeeds,
  },
  {
    name: 'a client certificate that is wanted and missing',
    server: wantsClient,
    argv: trusted,
    expect: refusedByServer,
  },
  {
    name: 'a client certificate of another authority',
    server: wantsClient,
    argv: (lab) => [...trusted(lab), ...lab.clientArguments(lab.issue({ issuer: lab.other }))],
    expect: refusedByServer,
  },
  {
    name: 'a client certificate without its key',
    argv: (lab) => [...trusted(lab), ...lab.clientArguments(lab.identity).slice(0, 2)],
    expect: failsWith('usage'),
  },
  {
    name: 'a client certificate with the key of another',
    argv: (lab) => lab.clientArguments({ cert: lab.identity.cert, key: lab.other.key }),
    expect: failsWith('usage'),
  },
  {
    name: 'TLS 1.1 alone',
    server: () => ({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    argv: trusted,
    expect: failsWith('tls-version'),
  },
];

/** In TLS 1.3 the alert comes behind the handshake, and a reset may overtake it. */
export function refusedByServer(asked: Asked): void {
  assert.equal(asked.status, 3, asked.stderr);
  assert.ok(['protocol-error', 'reset'].includes(asked.code ?? ''), asked.code);
}

function acceptedInsecurely(asked: Asked): void {
  ended(asked, 0);
  assert.match(
    asked.stderr,
    /warning: --insecure: the certificate of the other side is not verified/,
  );
}

async function tryCertified({ server, argv, env, host, expect }: Certified, lab: Lab) {
  const target = await lab.secureTarget(server?.(lab));
  const asked = await lab.ask(
    host === undefined ? target.url.origin : at(host, target),
    argv?.(lab),
    env?.(lab),
  );
  expect(asked);
  // Whatever is refused here has sent nothing: the secret stays at home.
  if (asked.status !== 0) assert.doesNotMatch(seenBy(target), /secret_key/);
}

/** TLS, of this process and of the installed program under variables that Node itself obeys. */
export const tlsCases: readonly ConnectionCase[] = [
  ...certified.map((each) => ({ name: each.name, run: (lab: Lab) => tryCertified(each, lab) })),
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED=0 opens nothing',
    run: async (lab) => {
      const target = await lab.secureTarget();
      const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
      ended(await lab.askProcess(target.url.origin, [], env), 3, 'tls-untrusted');
    },
  },
  {
    name: '--ca is added to the roots that Node has',
    run: async (lab) => {
      const ours = await lab.secureTarget();
      const theirs = await lab.secureTarget(lab.issue({ issuer: lab.other }));
      const env = { NODE_EXTRA_CA_CERTS: lab.otherCa };
      for (const { url } of [ours, theirs]) {
        ended(await lab.askProcess(url.origin, ['--ca', lab.ca], env), 0);
      }
      ended(await lab.askProcess(ours.url.origin, [], env), 3, 'tls-untrusted');
    },
  },
  {
    name: 'the name of the URL is asked for (SNI), and of an address none',
    run: async (lab) => {
      const asked: string[] = [];
      const SNICallback: TlsOptions['SNICallback'] = (name, callback) => {
        asked.push(name);
        callback(null);
      };
      const target = await lab.secureTarget({ SNICallback });
      ended(await lab.ask(target.url.origin, trusted(lab)), 0);
      ended(await lab.ask(at('127.0.0.1', target), trusted(lab)), 0);
      assert.deepEqual(asked, ['localhost']);
    },
  },
];
