import { type CatalogueEntry, catalogue } from '../diagnosis/catalogue.ts';
import { stackNames, stacksByCall } from '../diagnosis/diagnosis.ts';
import { type ErrorCause, errorCauses } from '../diagnosis/error-causes.ts';
import {
  describeSituation,
  errorSituations,
  type SituationId,
} from '../diagnosis/error-situations.ts';
import { errorTexts, type TextOrigin } from '../diagnosis/error-texts.ts';
import {
  connectionCodes,
  type DiagnosisCode,
  payloadCodes,
  perUserKeyCodes,
  responseCodes,
  wrappedKeyCodes,
} from '../errors.ts';
import { asStarted } from './human.ts';

interface Group {
  readonly title: string;
  readonly about: string;
  readonly codes: readonly DiagnosisCode[];
}

const groups: readonly Group[] = [
  {
    title: 'Wrapped keys',
    about: 'What `enc_partner_key` contains instead of a correct ciphertext.',
    codes: wrappedKeyCodes,
  },
  {
    title: 'Decrypted keys',
    about: 'What is wrong with the per-user key that was decrypted.',
    codes: perUserKeyCodes,
  },
  {
    title: 'Responses',
    about: 'What is wrong with one or several responses.',
    codes: responseCodes,
  },
  {
    title: 'Payloads',
    about: "Why a `partner_sp`, `ubifill` or `ptn_sp` can't be read.",
    codes: payloadCodes,
  },
  { title: 'Connections', about: 'Why no response came.', codes: connectionCodes },
];

/** The page on all diagnoses, in Markdown: `docs/diagnoses.md`, and a resource of `mcp`. */
export function diagnosesPage(): string {
  return [
    '# Diagnoses',
    '',
    'Every cause that authcli can name: what it means, how it is recognised, a typical mistake, and what to change.',
    '`npx authcli explain CODE` prints the same. This page is generated from the catalogue by `npm run docs`.',
    '',
    ...groups.flatMap(contents),
    '**Error texts**: [of libraries, by what they mean here](#error-texts)',
    '',
    ...groups.flatMap(section),
    ...errorTextsSection(),
  ].join('\n');
}

function contents({ title, codes }: Group): string[] {
  const links = codes.map((code) => `[${code}](#${code})`);
  return [`**${title}**: ${links.join(', ')}`, ''];
}

function section({ title, about, codes }: Group): string[] {
  return [`## ${title}`, '', about, '', ...codes.flatMap((code) => entry(code, catalogue[code]))];
}

function entry(code: DiagnosisCode, found: CatalogueEntry): string[] {
  const place = found.section === undefined ? '' : ` (section ${found.section})`;
  return [
    `### ${code}`,
    '',
    `**${prose(found.title)}**${place}`,
    '',
    prose(found.meaning),
    '',
    `*How it is recognised:* ${prose(found.recognised)}`,
    '',
    `*Typical mistake:* ${prose(found.example)}`,
    '',
    `*What to change:* ${prose(found.fix)}`,
    '',
    ...calls(found),
  ];
}

function calls({ calls: found = {} }: CatalogueEntry): string[] {
  const rows = stacksByCall(found).map(
    ([call, names]) => `| ${names.join(', ')} | ${code(call)} |`,
  );
  return rows.length === 0 ? [] : ['| stack | call |', '|---|---|', ...rows, ''];
}

function errorTextsSection(): string[] {
  const situations = Object.keys(errorSituations) as SituationId[];
  const causes = Object.values<ErrorCause>(errorCauses);
  return [
    '## Error texts',
    '',
    'Error texts that are recognised in the responses to callbacks and in logs, and by `npx authcli explain TEXT`, which names the cause that fits what',
    'the text is about. `…` is any text, `<name>` what is in question, `<n>` a number, `<hex>` hexadecimal digits.',
    '',
    ...situations.flatMap(situationEntry),
    '### Causes of error texts',
    '',
    '`{field}`, `{name}`, `{declared}` and `{detail}` stand for what the text says.',
    '',
    '| cause | what to change |',
    '|---|---|',
    ...causes.map(({ cause, fix }) => `| ${prose(cause)} | ${prose(fix)} |`),
    '',
  ];
}

function situationEntry(id: SituationId): string[] {
  const { title, section } = describeSituation(id);
  const known = errorTexts.filter(({ situation }) => situation === id);
  const origins = [...new Set(known.map(({ origin }) => origin))];
  const rows = origins.map((origin) => {
    const texts = known.filter((text) => text.origin === origin).map(({ text }) => code(text));
    return `| ${originNames[origin]} | ${texts.join(', ')} |`;
  });
  const place = section === undefined ? [] : [`Section ${section}.`, ''];
  return [`### ${prose(title)}`, '', ...place, '| from | texts |', '|---|---|', ...rows, ''];
}

const originNames: Readonly<Record<TextOrigin, string>> = {
  ...stackNames,
  openssl: 'OpenSSL',
  database: 'databases',
  any: 'several languages',
};

/** A code span of a table: a bar ends the cell, even inside backticks. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text.replaceAll('|', '\\|')}${fence}`;
}

/** An underscore inside a word emphasises nothing. */
const special = /[\\*<>[\]|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/** Escapes Markdown and HTML outside backticks. */
function prose(text: string): string {
  return asStarted(text, 'npx authcli')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(special, '\\$&')))
    .join('');
}
