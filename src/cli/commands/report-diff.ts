import { readJson } from '../../protocol/json.ts';
import { isJsonObject } from '../../protocol/json-type.ts';
import { type ComparedCheck, diffLines, diffRuns } from '../../reports/verify-diff.ts';
import { verifySchema } from '../../reports/verify-document.ts';
import { defineCommand } from '../command.ts';
import type { Content } from '../content.ts';
import { type Failure, usage } from '../hints.ts';
import { required } from '../options.ts';

export const reportDiff = defineCommand({
  path: 'report diff',
  about:
    'Compares two reports that `verify --report json=FILE` (or `verify --json`) wrote, the earlier one first: which checks broke, which were mended, what else changed. It ends with 1 if a check broke.',
  flags: {
    before: required('<before>', 'the earlier report, a JSON file', {
      input: 'file',
      read: readReport,
    }),
    after: required('<after>', 'the later report, a JSON file', {
      input: 'file',
      read: readReport,
    }),
  },
  examples: [
    { about: 'the last release and this one', line: 'authcli report diff before.json after.json' },
    {
      about: 'the ids that broke, for a script',
      line: "authcli report diff before.json after.json --json | jq -r '.broke[].id'",
    },
    {
      about: 'against the run that is piped in',
      line: 'authcli verify --url http://localhost:8080/callback --json | authcli report diff before.json -',
    },
  ],
  run: async ({ before, after }, { style }) => {
    const diff = diffRuns(before, after);
    const broke = diff.broke.map(({ id }) => id);
    const failure: Failure | undefined =
      broke.length === 0
        ? undefined
        : {
            code: 'checks-failed',
            message: `${broke.length} checks broke: ${broke.join(', ')}.`,
            hint: 'The later report says of each what was expected and what came.',
          };
    return { fields: { ...diff }, lines: diffLines(diff, style), failure };
  },
});

function readReport({ bytes }: Content): readonly ComparedCheck[] {
  const reading = readJson(bytes);
  if (!reading.ok || !isJsonObject(reading.value)) {
    throw usage('It is no JSON object.', 'Give a file that `verify --report json=FILE` wrote.');
  }
  const { schema, checks } = reading.value;
  if (schema !== verifySchema || !Array.isArray(checks) || !checks.every(isCheck)) {
    throw usage(
      `It is no report of a run of verify (schema ${verifySchema}).`,
      'Give a file that `verify --report json=FILE` wrote.',
    );
  }
  return checks;
}

function isCheck(value: unknown): value is ComparedCheck {
  return (
    isJsonObject(value) &&
    typeof value.id === 'string' &&
    typeof value.title === 'string' &&
    typeof value.status === 'string'
  );
}
