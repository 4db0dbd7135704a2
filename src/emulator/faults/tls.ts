import type { DiagnosisCode } from '../../errors.ts';
import type { Fault } from './points.ts';

export type TlsFaultName = 'tls-expired' | 'tls-hostname' | 'tls-untrusted' | 'tls-version';

const titles: Readonly<Record<TlsFaultName & DiagnosisCode, string>> = {
  'tls-expired': 'Presents a certificate that expired yesterday',
  'tls-hostname': 'Presents a certificate for another host name',
  'tls-untrusted': 'Presents a certificate of a CA that is not known',
  'tls-version': 'Speaks only TLS 1.0 and 1.1',
};

/** What is listed of them: they act on connections, from the start to the end of an emulator that speaks TLS. */
export function tlsFaults(side: Fault<never>['side']): readonly (Pick<
  Fault<never>,
  'title' | 'check'
> & {
  readonly name: TlsFaultName;
  readonly diagnosis: TlsFaultName;
})[] {
  return Object.entries(titles).map(([name, title]) => {
    const diagnosis = name as TlsFaultName;
    const check = side === 'application' ? { check: 'protocol/tls' } : {};
    return { name: diagnosis, title: `${title} (with TLS)`, ...check, diagnosis };
  });
}

export function isTlsFault(name: string): name is TlsFaultName {
  return Object.hasOwn(titles, name);
}
