import { isJsonObject, parseJsonText } from '../../protocol/json.ts';
import { diffLines, diffRuns, isComparedCheck } from '../../reports/verify-diff.ts';
import { verifySchema } from '../../reports/verify-document.ts';
import { counted, escapeControls } from '../../text.ts';
import { type Content, reportLimit } from '../args/input.ts';
import { flag } from '../args/options.ts';
import { defineCommand } from '../command.ts';
import { type Failure, usage } from '../failure.ts';

const reportFile = { input: 'file', limit: reportLimit, read: readReport } as const;

export const reportDiff = defineCommand({
  path: 'report diff',
  about:
    'Compares two reports that `verify --report json=FILE` (or `verify --json`) wrote, the earlier one first: which checks broke, which were fixed, and what else changed. Exits with 1 if a check broke.',
  flags: {
    before: flag('<before>', 'the earlier report, a JSON file', reportFile),
    after: flag('<after>', 'the later report, a JSON file', reportFile),
  },
  examples: {
    'the last release and this one': 'authcli report diff before.json after.json',
    'the ids that broke, for a script':
      "authcli report diff before.json after.json --json | jq -r '.broke[].id'",
    'against a run from a pipe':
      'authcli verify --url http://localhost:8080/callback --json | authcli report diff before.json -',
  },
  run: async ({ before, after }, session) => {
    for (const [name, { interrupted, checks }] of [
      ['earlier', before],
      ['later', after],
    ] as const) {
      const skipped = checks.filter(({ status }) => status === 'skipped').length;
      if (interrupted)
        session.warn(`The ${name} run was interrupted: ${counted(skipped, 'check')} did not run.`);
    }
    const diff = diffRuns(before.checks, after.checks);
    // What a file says can't be more than the part of the line that it is shown in.
    const broke = diff.broke.map(({ id }) => escapeControls(id));
    const failure: Failure | undefined =
      broke.length === 0
        ? undefined
        : {
            code: 'checks-failed',
            message: `${counted(broke.length, 'check')} broke: ${broke.join(', ')}.`,
            hint: 'The later report shows what each expected and what it observed.',
            next: { words: ['explain', broke[0] ?? ''] },
          };
    const lines = diffLines(diff, session.style);
    const nothing = 'No check has a different result.';
    return { fields: { ...diff }, lines: lines.length === 0 ? [nothing] : lines, failure };
  },
});

function readReport({ text }: Content) {
  const report = parseJsonText(text);
  const { schema, checks, interrupted } = isJsonObject(report) ? report : {};
  if (schema !== verifySchema || !Array.isArray(checks) || !checks.every(isComparedCheck)) {
    throw usage(
      `It is not a report of verify (schema ${verifySchema}).`,
      'Give a file that `verify --report json=FILE` wrote.',
    );
  }
  return { checks, interrupted: interrupted === true };
}
