import type { Transport } from '../../client/transport.ts';
import { createKeyPairs } from '../../conformance/test-data.ts';
import { callbackSubject } from '../../explore/callback-subject.ts';
import type { Subject } from '../../explore/explore.ts';
import type { Operation } from '../../explore/operation.ts';
import { inTurn } from '../../explore/user-codes.ts';
import type { Session } from '../session.ts';
import type { ExploreCommandOptions } from './explore-flags.ts';

/** What is explored: the callback endpoint at `url`, over a transport. */
export function exploredSubject(
  url: URL,
  selected: readonly Operation[],
  options: ExploreCommandOptions,
  session: Session,
): (transport: Transport) => Subject {
  const { userCodes, maxSteps, users, concurrency, clientId, cipher } = options;
  const { now, randomBytes, generateKeyPair } = session.context;
  for (const code of userCodes ?? []) session.secrets.show(code);
  return (transport) =>
    callbackSubject({
      maxSteps,
      users,
      concurrency,
      send: (...sent) => transport.send(...sent),
      // What an earlier sequence left on a connection must not explain a failure that is then shrunk.
      prepare: () => transport.close(),
      url,
      clientId,
      cipher,
      keyPairs: createKeyPairs(generateKeyPair),
      randomBytes,
      now,
      onKey: (key) => session.secrets.addFromPeer(key),
      takeUserCodes: userCodes && inTurn(userCodes),
      givenUsers: userCodes?.length,
      operations: selected,
    });
}
