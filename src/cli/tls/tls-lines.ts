import { X509Certificate } from 'node:crypto';
import { namesOf } from '../../app/local-tls.ts';
import { fields } from '../../reports/human.ts';
import { escapeControls } from '../../text.ts';
import type { Session } from '../session.ts';
import type { OpenedTls } from './open-tls.ts';
import { trustLines, trustRows } from './trust.ts';

/** The day of an instant, in UTC. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** For the first line of events of a command that listens. */
export function tlsEvent({ server, authorityFile }: OpenedTls) {
  const { validTo } = new X509Certificate(server.certificate);
  return {
    names: namesOf(server.certificate),
    valid_to: new Date(validTo).toISOString(),
    ca_file: authorityFile ?? null,
    ...(authorityFile !== undefined && { trust: trustLines(authorityFile) }),
  };
}

/** The rows that describe it. */
export function tlsRows({ server, authorityFile }: OpenedTls): readonly [string, string][] {
  const { validTo } = new X509Certificate(server.certificate);
  const names = namesOf(server.certificate).join(', ');
  return [
    ['certificate', escapeControls(`${names}, valid until ${dateOf(Date.parse(validTo))}`)],
    ...(authorityFile === undefined ? [] : [['CA', escapeControls(authorityFile)] as const]),
  ].map(([label = '', value = '']) => [label, value]);
}

/** How other programs are made to trust the CA; empty where it isn't known. */
export function trustText({ authorityFile }: OpenedTls, { style }: Session): readonly string[] {
  if (authorityFile === undefined) return [];
  return ['', 'To make a program trust its CA:', ...fields(trustRows(authorityFile), style)];
}

/** The words with which authcli trusts it. */
export function tlsWords(tls: OpenedTls | undefined): readonly string[] {
  return tls?.authorityFile === undefined ? [] : ['--ca', tls.authorityFile];
}

/** What makes a child trust the CA: authcli and Node, which trust it beside the others. */
export function tlsEnvironment(
  tls: OpenedTls | undefined,
  { context }: Session,
): Readonly<Record<string, string>> {
  const file = tls?.authorityFile;
  if (file === undefined) return {};
  const other = (context.env.NODE_EXTRA_CA_CERTS ?? '') !== '';
  return { AUTHCLI_CA: file, ...(!other && { NODE_EXTRA_CA_CERTS: file }) };
}
