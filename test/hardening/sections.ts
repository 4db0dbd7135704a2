import { concurrentWriters, kills } from './concurrent-state.ts';
import { connections } from './connections.ts';
import { decryptionTimes } from './decryption-times.ts';
import { exploredFaults } from './explored-faults.ts';
import { exploredSequences } from './explored-sequences.ts';
import { hostileResponses } from './hostile-responses.ts';
import { redaction } from './redaction.ts';
import { relayMatrix } from './relay-matrix.ts';
import { repeatedRuns } from './repeated-runs.ts';
import { secretSearch } from './secret-search.ts';
import type { Section } from './section.ts';
import { signinPeers } from './signin-peers.ts';
import { signinStyleTrials } from './signin-styles.ts';
import { stateFaults } from './state-faults.ts';

/** Every section of `npm run hardening`, in the order of its table. */
export const sections: readonly Section[] = [
  { name: 'responses', run: hostileResponses },
  { name: 'signin', run: signinPeers },
  { name: 'styles', run: signinStyleTrials },
  { name: 'connections', run: connections },
  { name: 'times', run: decryptionTimes },
  { name: 'state', run: stateFaults },
  { name: 'writers', run: concurrentWriters },
  { name: 'kills', run: kills },
  { name: 'secrets', run: secretSearch },
  { name: 'redaction', run: redaction },
  { name: 'relay-matrix', run: relayMatrix },
  { name: 'explore', run: exploredSequences },
  { name: 'explore-faults', run: exploredFaults },
  { name: 'watch', run: repeatedRuns },
];
