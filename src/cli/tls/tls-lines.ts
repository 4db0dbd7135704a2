import { X509Certificate } from 'node:crypto';
import { fields } from '../../reports/human.ts';
import { escapeControls, shellWord } from '../../text.ts';
import type { Session } from '../session.ts';
import { namesOf } from './local-tls.ts';
import type { OpenedTls } from './open-tls.ts';

/** The day of an instant, in UTC. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** For the first line of events of a command that listens. */
export function tlsEvent({ server, authorityFile }: OpenedTls) {
  const { validTo } = new X509Certificate(server.certificate);
  const trust: Record<string, readonly string[]> = {};
  for (const [name, ...lines] of trustRows(authorityFile)) trust[name.toLowerCase()] = lines;
  return {
    names: namesOf(server.certificate),
    valid_to: new Date(validTo).toISOString(),
    ca_file: authorityFile,
    trust,
  };
}

/** The rows that describe it. */
export function tlsRows({ server, authorityFile }: OpenedTls): readonly [string, string][] {
  const { validTo } = new X509Certificate(server.certificate);
  const names = namesOf(server.certificate).join(', ');
  const until = `${names}, valid until ${dateOf(Date.parse(validTo))}`;
  return [
    ['certificate', escapeControls(until)],
    ['CA', escapeControls(authorityFile)],
  ];
}

/** How other programs are made to trust the CA. */
export function trustText({ authorityFile }: OpenedTls, { style }: Session): readonly string[] {
  const rows = trustRows(authorityFile).flatMap(([name, ...lines]) =>
    lines.map((line, index) => [index === 0 ? name : '', line] as const),
  );
  return ['', 'To make a program trust its CA:', ...fields(rows, style)];
}

/** Each program, and the lines that make it trust a CA. Nothing here changes the system's own store. */
function trustRows(file: string): readonly (readonly [name: string, ...lines: string[]])[] {
  const path = shellWord(file);
  const store = 'authcli-ca.p12';
  return [
    ['authcli', `--ca ${path}`],
    ['curl', `curl --cacert ${path}`],
    ['Node', `export NODE_EXTRA_CA_CERTS=${path}`],
    ['Python', `export SSL_CERT_FILE=${path} REQUESTS_CA_BUNDLE=${path}`],
    [
      'Java',
      `keytool -importcert -noprompt -alias authcli -file ${path} -keystore ${store} -storepass changeit`,
      `java -Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
    ],
  ];
}

/** The words with which authcli trusts it. */
export function tlsWords(tls: OpenedTls | undefined): readonly string[] {
  return tls === undefined ? [] : ['--ca', tls.authorityFile];
}

/** What makes a child trust the CA: authcli and Node, which trust it beside the others. */
export function tlsEnvironment(
  tls: OpenedTls | undefined,
  { context }: Session,
): Readonly<Record<string, string>> {
  if (tls === undefined) return {};
  const file = tls.authorityFile;
  const other = (context.env.NODE_EXTRA_CA_CERTS ?? '') !== '';
  return { AUTHCLI_CA: file, ...(!other && { NODE_EXTRA_CA_CERTS: file }) };
}
