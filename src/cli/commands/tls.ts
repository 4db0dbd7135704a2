import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { issueClient, issueServer, namesOf } from '../../app/local-tls.ts';
import { formatRange, type HostName, isPermitted } from '../../crypto/host-names.ts';
import type { Secret } from '../../crypto/secret.ts';
import { fields } from '../../reports/human.ts';
import { escapeControls } from '../../text.ts';
import { list, optional, required } from '../args/options.ts';
import { plainLine } from '../args/repeat-line.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { writeNewFiles, writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { openAuthority, toolsOf, withNewAuthorityHint } from '../tls/local-authority.ts';
import { hostName } from '../tls/tls-flags.ts';
import { dateOf } from '../tls/tls-lines.ts';
import { trustLines, trustRows } from '../tls/trust.ts';

/** What --json prints is described by schemas/tls-1.json. */
const schema = 'authcli/tls/1';

export const tlsCa = defineCommand({
  path: 'tls ca',
  about:
    'Prints the certificate of the local CA of this profile in PEM, for programs that are to trust it; makes the CA if it is missing. The CA signs only for this machine, private addresses and reserved names such as app.test, and authcli never adds it to the trust store of the system.',
  flags: {
    out: optional('--out <file>', 'write it to a new file', { input: 'path' }),
    permit: list('--permit <name>', 'another name or address that a new CA may sign for', {
      input: 'word',
      parse: hostName,
    }),
  },
  examples: {
    'to a file': 'authcli tls ca --out ca.pem',
    'where it is stored': 'authcli tls ca --json | jq -r .file',
    'one that may sign for the services of a compose file':
      'authcli tls ca --permit emulator --permit app',
  },
  run: async ({ out, permit }, session) => {
    const { authority, file } = await openAuthority(session, permit);
    await requirePermitted(permit, authority.certificate);
    const described = describe(authority.certificate);
    if (out !== undefined) {
      await writeOutputFile(out, authority.certificate, '--out', session, { flag: 'wx' });
    }
    return {
      fields: { schema, ...described, certificate: authority.certificate, file: out ?? file },
      lines:
        out === undefined
          ? authority.certificate.trimEnd().split('\n')
          : [session.done(`The CA is written to ${out}.`)],
    };
  },
});

async function requirePermitted(permit: readonly HostName[], certificate: string): Promise<void> {
  if (permit.length === 0) return;
  const { permittedNamesOf } = await import('../../crypto/certificates.ts');
  const permitted = permittedNamesOf(certificate);
  const refused = permit.find((host) => !isPermitted(host, permitted));
  if (refused === undefined) return;
  throw usage(
    `The CA of this profile exists and may not sign for ${refused.name}; that can't be changed.`,
    'Remove it first, and make your programs trust the new one: `authcli tls remove`.',
  );
}

export const tlsCert = defineCommand({
  path: 'tls cert',
  about:
    'Issues a certificate of the local CA for a server of your own, such as your application under test: cert.pem and key.pem (readable only by you). With --client, one with which a client authenticates.',
  flags: {
    names: list(
      '[name...]',
      'names and addresses of the server (default: localhost, 127.0.0.1, ::1)',
      {
        input: 'word',
        parse: hostName,
      },
    ),
    client: optional('--client <name>', 'a client certificate with this common name', {
      input: 'word',
      parse: nonEmpty,
    }),
    out: required('--out <folder>', 'the folder for the two files', { input: 'path' }),
  },
  examples: {
    'for your application on this machine': 'authcli tls cert --out app-tls',
    'under a name': 'authcli tls cert app.test localhost --out app-test-tls',
    'for a client, where --client-ca requires one':
      'authcli tls cert --client my-application --out client-tls',
  },
  run: async ({ names, client, out }, session) => {
    if (client !== undefined && names.length > 0) {
      throw usage('A client certificate has no host names.', 'Leave the names or --client out.');
    }
    const { authority } = await openAuthority(session);
    const tools = await toolsOf(session);
    const hosts = names.length > 0 ? names : ['localhost', '127.0.0.1', '::1'].map(hostName);
    const { certificate, privateKey } =
      client === undefined
        ? await withNewAuthorityHint(issueServer(hosts, authority, tools))
        : await issueClient(client, authority, tools);
    await writePair(out, certificate, privateKey, session);
    const files = { certificate: join(out, 'cert.pem'), key: join(out, 'key.pem') };
    const { fingerprint, valid_to } = describe(certificate);
    const described = { names: namesOf(certificate), fingerprint, valid_to };
    return {
      fields: {
        schema,
        ...described,
        certificate_file: files.certificate,
        private_key_file: files.key,
      },
      lines: fields(
        [
          ['certificate', escapeControls(files.certificate)],
          ['private key', escapeControls(files.key)],
          [client === undefined ? 'names' : 'client', client ?? described.names.join(', ')],
          ['valid until', dateOf(Date.parse(valid_to))],
        ],
        session.style,
        '',
      ),
    };
  },
});

async function writePair(
  folder: string,
  certificate: string,
  privateKey: Secret,
  session: Session,
): Promise<void> {
  const files = [
    { name: 'key.pem', text: privateKey.reveal(), secret: true },
    { name: 'cert.pem', text: certificate },
  ];
  await writeNewFiles(folder, files, '--out', session);
}

export const tlsShow = defineCommand({
  path: 'tls show',
  about:
    'Shows the local CA of this profile, what it may sign for, the certificate of the emulators, and how programs are made to trust the CA.',
  flags: {},
  examples: {
    'of the profile in use': 'authcli tls show',
    'of another profile': 'authcli tls show --profile staging',
    'the line for Java': 'authcli tls show --json | jq -r ".trust.java[]"',
  },
  run: async (_, session) => {
    const { localTls } = await session.state();
    const stored = localTls.read();
    if (stored === undefined) {
      return {
        fields: { schema, ca: null, server: null },
        lines: [
          'This profile has no local CA yet. It is made when it is first used:',
          `  ${plainLine(['emulate', 'app', '--tls'], session.typed)}`,
        ],
      };
    }
    const { permittedNamesOf } = await import('../../crypto/certificates.ts');
    const ca = describe(stored.authority.certificate);
    const { dns, ip } = permittedNamesOf(stored.authority.certificate);
    const permitted = [...dns, ...ip.map(formatRange)];
    const server = stored.server && {
      ...describe(stored.server.certificate),
      names: namesOf(stored.server.certificate),
    };
    const file = localTls.authorityFile;
    return {
      fields: {
        schema,
        ca: { ...ca, file, permitted },
        server: server ?? null,
        trust: trustLines(file),
      },
      lines: [
        ...fields(
          [
            ['CA', ca.subject],
            ['file', escapeControls(file)],
            ['fingerprint', ca.fingerprint],
            ['valid until', dateOf(Date.parse(ca.valid_to))],
            ['signs for', permitted.join(', ')],
            ['emulators', server?.names.join(', ')],
            ['valid until', server && dateOf(Date.parse(server.valid_to))],
          ],
          session.style,
          '',
        ),
        '',
        'To make a program trust it:',
        ...fields(trustRows(file), session.style),
      ],
    };
  },
});

export const tlsRemove = defineCommand({
  path: 'tls remove',
  about:
    'Removes the local CA of this profile with its key and the certificate of the emulators. Emulators that run keep theirs until they end. Where you made a program trust the CA, remove it there too.',
  flags: {},
  examples: {
    'of the profile in use': 'authcli tls remove',
    'of another profile': 'authcli tls remove --profile staging',
    'see first what there is': 'authcli tls show',
  },
  run: async (_, session) => {
    const removed = await (await session.state()).localTls.remove();
    const text = removed
      ? 'The local CA of this profile is removed.'
      : 'This profile has no local CA.';
    return {
      fields: { schema, removed },
      lines: [session.done(text)],
    };
  },
});

function describe(certificate: string) {
  const read = new X509Certificate(certificate);
  return {
    subject: /CN=(.*)/.exec(read.subject)?.[1] ?? read.subject,
    fingerprint: `sha256:${read.fingerprint256.replaceAll(':', '').toLowerCase()}`,
    valid_from: new Date(read.validFrom).toISOString(),
    valid_to: new Date(read.validTo).toISOString(),
  };
}
