import { constants } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fields, verdict } from '../../reports/human.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { clientIdFlag } from '../common-flags.ts';
import { usage } from '../hints.ts';
import { type ExportedFile, exportedFiles } from '../load-export-files.ts';
import { makeLoadKeyPairs } from '../load-key-pairs.ts';
import { resolveHeaders } from '../network.ts';
import { networkFlags } from '../network-flags.ts';
import { defaulted, type OptionsOf, required } from '../options.ts';
import type { Session } from '../session.ts';
import { registrationFlags } from '../simulation-flags.ts';
import { urlFlag } from '../url-flags.ts';
import { choice, duration, integer, nonEmpty } from '../values.ts';

const engines = ['artillery'] as const;

const flags = {
  engine: defaulted('--engine <name>', 'what is to run it', 'artillery', {
    input: 'word',
    choices: engines,
    parse: choice(engines),
  }),
  out: required('--out <folder>', 'where the files go; it is made', {
    input: 'path',
    parse: nonEmpty,
  }),
  url: urlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  rate: defaulted('--rate <per-second>', 'begin so many a second on each worker', '50', {
    parse: integer(1, 1_000_000),
  }),
  duration: defaulted('--duration <duration>', 'how long', '60s', { parse: duration }),
  rampUp: defaulted('--ramp-up <duration>', 'come to the rate evenly, before', '10s', {
    parse: duration,
  }),
  keyPairs: defaulted('--key-pairs <n>', 'how many service key pairs take turns', '4', {
    parse: integer(1, 64),
  }),
  userInfo: registrationFlags.userInfo,
  noUserInfo: registrationFlags.noUserInfo,
  timeout: networkFlags.timeout,
  header: networkFlags.header,
} as const;

export const loadExport = defineCommand({
  path: 'load export',
  about:
    'Writes a load for many machines: the scenario of `load` for Artillery 2, which runs it here, on AWS Fargate, AWS Lambda or Azure Container Instances. The folder holds artillery.yml, processor.mjs, which needs nothing installed, its settings, a pool of key pairs, and a README with the commands.',
  flags,
  exclusive: [['userInfo', 'noUserInfo']],
  notes: ['Nothing is overwritten. The private keys among the files are made for this load alone.'],
  examples: [
    {
      about: 'a load for Artillery',
      line: 'authcli load export --engine artillery --out load --url https://staging.example.com/callback',
    },
    {
      about: 'a hundred a second for ten minutes',
      line: 'authcli load export --out load-100 --url http://localhost:8080/callback --rate 100 --duration 10m',
    },
    { about: 'its results back', line: 'authcli load import report.json --report html=load.html' },
  ],
  run: exportLoad,
});

async function exportLoad(options: OptionsOf<typeof flags>, session: Session): Promise<Outcome> {
  const { out, url, clientId, cipher, rate, noUserInfo } = options;
  const headers = await resolveHeaders(options.header, session);
  const keyPairs = await makeLoadKeyPairs(options.keyPairs, session);
  const files = exportedFiles({
    url,
    clientId,
    cipher,
    timeoutMs: options.timeout,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
    rate,
    seconds: Math.max(1, Math.round(options.duration / 1000)),
    rampUpSeconds: Math.round(options.rampUp / 1000),
    userInfo: noUserInfo ? null : options.userInfo?.reveal(),
    keyPairs,
  });
  await writeAll(resolve(session.context.cwd, out), files, session);
  const names = [...files.map(({ name }) => name), processor];
  return {
    fields: { engine: options.engine, out, files: names },
    lines: [
      verdict(
        true,
        `A load for ${options.engine} stands in ${out}: ${names.join(', ')}.`,
        session.style,
      ),
      ...fields(
        [['run it', `artillery run ${join(out, 'artillery.yml')} --output report.json`]],
        session.style,
      ),
    ],
  };
}

const processor = 'processor.mjs';

/** Writes the files into a new or empty folder's places; what is there already stays. */
async function writeAll(
  folder: string,
  files: readonly ExportedFile[],
  { context }: Session,
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { name, text, secret } of files) {
      await writeFile(join(folder, name), text, { flag: 'wx', mode: secret ? 0o600 : 0o644 });
    }
    await copyFile(context.artilleryProcessor, join(folder, processor), constants.COPYFILE_EXCL);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw usage(`--out: ${path} exists already.`, 'Nothing is overwritten: name another folder.');
    }
    throw usage(
      `--out: ${folder} can't be written (${code ?? 'unknown'}).`,
      'Name a folder that you may write to.',
    );
  }
}
