import type { Secret } from '../crypto/secret.ts';
import type { Check, CheckFacts } from './check.ts';
import type { RecordedExchange } from './record.ts';
import type { CheckResult } from './result.ts';

/** What the engine tells while it runs; whoever shows something listens. */
export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly checks: readonly Check[];
      readonly controls: readonly Check[];
    }
  | { readonly type: 'check-started'; readonly check: CheckFacts }
  | { readonly type: 'exchange'; readonly recorded: RecordedExchange }
  /** A key or passcode that must not be shown from now on. */
  | { readonly type: 'secret'; readonly value: Secret }
  | { readonly type: 'check-ended'; readonly result: CheckResult; readonly isControl: boolean };

export type EmitEvent = (event: RunEvent) => void;
