import { exploredChecks } from '../../app/explored-checks.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import type { Exploration } from '../../explore/explore.ts';
import type { ExploreDocument } from '../../reports/explore-document.ts';
import { toVerifyDocument } from '../../reports/verify-document.ts';
import { verifyHar } from '../../reports/verify-har.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { jsonReport } from '../verify/report-files.ts';
import { writeReportFiles } from '../verify/verify-reports.ts';
import type { ExploreCommandOptions } from './explore-flags.ts';

interface Explored {
  readonly found: Exploration;
  readonly document: ExploreDocument;
  readonly failure: Failure | undefined;
  readonly operations: readonly { readonly id: string; readonly about: string }[];
  readonly startedAt: number;
  /** The command line that repeats the run. */
  readonly again: string;
}

/** Writes the --report files, as `verify` does: each operation is a check. */
export async function writeExploreReports(
  { found, document, failure, operations, startedAt, again }: Explored,
  options: ExploreCommandOptions,
  session: Session,
): Promise<void> {
  const { context, secrets } = session;
  const { report, clientId, cipher, insecure, resolve } = options;
  const result = exploredChecks(found, {
    operations,
    url: new URL(document.url),
    clientId,
    cipher: formatCipher(cipher),
    startedAt,
    durationMs: document.duration_ms,
  });
  const { version } = context;
  const whole = toVerifyDocument(result, {
    command: 'explore',
    target: document.url,
    version,
    insecure,
    resolve,
    references: session.showsSecrets ? [] : secrets.references,
    repeatCommand: () => again,
    baseline: { known: new Map(), stale: [], expired: [] },
  });
  const source = {
    document: session.redactJson(whole),
    json: await jsonReport({ document, failure }, session),
    har: session.redactJson(verifyHar(result, { version })),
  };
  await writeReportFiles(source, report, session);
}
