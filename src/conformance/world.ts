import type { WireRequest } from '../client/exchange.ts';
import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { EmitEvent } from './events.ts';
import type { KeyPairs } from './key-pairs.ts';
import type { RunRecord } from './record.ts';

/** The header that names the check in every request, for the application's log. */
export const checkHeader = 'X-Authcli-Check';

/** What all checks of a run share. */
export interface RunWorld {
  readonly transport: Transport;
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly keyPairs: KeyPairs;
  readonly seed: string;
  /** Certificates are not verified in this run. */
  readonly insecure: boolean;
  readonly now: () => number;
  readonly record: RunRecord;
  readonly emit: EmitEvent;
  /** Whether that check has passed in this run. */
  readonly hasPassed: (id: string) => boolean;
}

/** What a request may have beside what is usual. */
export interface RequestOptions {
  /** Changes the request just before it is sent. */
  readonly alter?: (right: WireRequest) => WireRequest;
}
