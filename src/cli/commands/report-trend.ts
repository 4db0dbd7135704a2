import { join, resolve } from 'node:path';
import { AuthcliError } from '../../errors.ts';
import { readReport, reportFiles } from '../../monitor/history.ts';
import { jsonDocument } from '../../reports/json.ts';
import {
  type LeftOut,
  Trend,
  type TrendDocument,
  type TrendSource,
} from '../../reports/trend-document.ts';
import { trendHtml } from '../../reports/trend-html.ts';
import { trendLines } from '../../reports/trend-human.ts';
import { list, optional, required } from '../args/options.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles, reportFileOf } from '../verify/report-files.ts';

const kinds = ['html', 'json'] as const;

export const reportTrend = defineCommand({
  path: 'report trend',
  about:
    'Shows the reports that `verify --every --history DIR` kept over time: which runs passed, when which check failed, and how long requests took. Reports of `verify --report json=FILE` in the same folder count too.',
  flags: {
    folder: required('<folder>', 'the folder of --history', { input: 'path', parse: nonEmpty }),
    target: optional('--target <text>', 'the URL or command (default: that of the newest report)', {
      input: 'word',
      parse: nonEmpty,
    }),
    report: list('--report <kind=file>', `write a report: ${kinds.join(', ')}`, {
      input: 'word',
      group: 'output',
      parse: reportFileOf(kinds, 'html=trend.html'),
    }),
  },
  notes: [
    'It exits with 0 whatever the runs found; `verify --every` has the status of its worst run.',
  ],
  examples: {
    'what happened': 'authcli report trend history',
    'as a page with charts': 'authcli report trend history --report html=trend.html',
    'when runs failed, for a script':
      'authcli report trend history --json | jq -r \'.periods[] | select(.status == "failed") | "\\(.from) \\(.failed | join(" "))"\'',
  },
  run: async ({ folder, target, report }, session) => {
    await checkReportFiles(report, session);
    const { style, context } = session;
    const trend = session.redactJson(await readTrend(folder, target, session));
    for (const { kind, file } of report) {
      const json = { ok: true, command: 'report trend', ...trend };
      const text = kind === 'html' ? trendHtml(trend) : jsonDocument(json);
      await writeOutputFile(file, text, '--report', session);
    }
    return {
      fields: { ...trend },
      lines: trendLines(trend, { style, width: columnsOf(context.stdout) }),
    };
  },
});

/** Throws `usage` where the folder can't be read, or contains no report of the target. */
async function readTrend(
  folder: string,
  wanted: string | undefined,
  { context }: Session,
): Promise<TrendDocument> {
  const { sources, interrupted, otherFiles } = await readSources(resolve(context.cwd, folder));
  const newest = [...sources].sort(([, a], [, b]) => endOf(b) - endOf(a))[0]?.[0];
  const target = wanted ?? newest;
  const chosen = target === undefined ? undefined : sources.get(target);
  if (target === undefined || chosen === undefined) {
    const others = [...sources.keys()].map((other) => `--target ${other}`);
    throw usage(
      `${folder} contains no report of ${wanted ?? 'verify'}.`,
      others.length > 0
        ? `It contains reports of: ${others.join(', ')}.`
        : 'Give the folder of `verify --every --history`.',
    );
  }
  sources.delete(target);
  const left: LeftOut = {
    targets: Object.fromEntries([...sources].map(([other, { length }]) => [other, length])),
    interrupted,
    other_files: otherFiles,
  };
  const trend = new Trend();
  for (const source of inOrder(chosen)) trend.add(source);
  return trend.document({ version: context.version, target, left_out: left });
}

/** The reports of a folder by their targets. */
async function readSources(folder: string) {
  const sources = new Map<string, TrendSource[]>();
  let [interrupted, otherFiles] = [0, 0];
  for (const name of await namesIn(folder)) {
    const report = await readReport(join(folder, name));
    if (report === undefined) otherFiles += 1;
    else if (report.interrupted) interrupted += 1;
    else {
      const { target, started_at, duration_ms, requests, unreachable, ok } = report;
      const facts = { started_at, duration_ms, requests, unreachable, ok };
      // The rest of a report is most of it, and would fill the memory.
      const checks = report.checks.map(({ id, title, status, exchanges }) => ({
        ...{ id, title, status, exchanges },
      }));
      const controls = report.controls.map(({ exchanges }) => ({ exchanges }));
      const known = sources.get(target) ?? [];
      sources.set(target, known);
      known.push({ ...facts, checks, controls });
    }
  }
  return { sources, interrupted, otherFiles };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await reportFiles(folder);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    throw usage(error.message, 'Give the folder of `verify --every --history`.');
  }
}

function endOf(sources: readonly TrendSource[]): number {
  return Math.max(...inOrder(sources).slice(-1).map(startOf));
}

function inOrder(sources: readonly TrendSource[]): readonly TrendSource[] {
  return [...sources].sort((a, b) => startOf(a) - startOf(b));
}

function startOf({ started_at: at }: TrendSource): number {
  return Date.parse(at);
}
