import type { DiagnosisCode } from '../../errors.ts';
import type { ListedFault } from './points.ts';

export type TlsFaultName = 'tls-expired' | 'tls-hostname' | 'tls-untrusted' | 'tls-version';

const titles: Readonly<Record<TlsFaultName & DiagnosisCode, string>> = {
  'tls-expired': 'Presents a certificate that expired yesterday',
  'tls-hostname': 'Presents a certificate for another host name',
  'tls-untrusted': 'Presents a certificate of a CA that is not known',
  'tls-version': 'Speaks only TLS 1.0 and 1.1',
};

/** What is listed of them: they act on connections, from the start to the end of an emulator that speaks TLS. */
export function tlsFaults(side: 'application' | 'service'): readonly ListedFault[] {
  const check = side === 'application' ? { check: 'protocol/tls' } : {};
  return (Object.keys(titles) as TlsFaultName[]).map((name) => {
    return { name, title: `${titles[name]} (with TLS)`, ...check, diagnosis: name };
  });
}

export function isTlsFault(name: string): name is TlsFaultName {
  return Object.hasOwn(titles, name);
}
