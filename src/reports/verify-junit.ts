import { escapeControls, escapeWithinLines } from '../text.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { commandsOf, factsOf, remarksOf, seconds } from './verify-words.ts';

/**
 * A run as JUnit XML, in the elements and the order that the common schemas share. Failures are
 * `error` if the endpoint was unreachable, as what could not be tested is, `skipped` if known; warnings are in `system-out`.
 */
export function verifyJunit(document: VerifyDocument): string {
  const { checks } = document;
  const kinds = checks.map((check) => kindOf(check, document));
  const count = (kind: Kind): number => kinds.filter((each) => each === kind).length;
  const { target: url, seed, cipher, version, requirements, client_id } = document;
  const facts = Object.entries({ url, client_id, cipher, seed, version, requirements });
  const properties = facts.flatMap(([name, value]) =>
    value === undefined ? [] : element('property', { name, value }),
  );
  const suite = element(
    'testsuite',
    {
      id: 0,
      name: `authcli ${document.command}`,
      package: 'authcli',
      hostname: document.url === undefined ? 'localhost' : new URL(document.url).hostname,
      timestamp: document.started_at.slice(0, 19),
      tests: checks.length,
      failures: count('failure'),
      errors: count('error'),
      skipped: count('skipped'),
      time: seconds(document.duration_ms),
    },
    element('properties', {}, ...properties),
    ...checks.map((check) => `\n${testCase(check, document)}`),
    '\n',
    element('system-out', {}, escapeXml(outputOf(document))),
    element('system-err', {}),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suite}\n</testsuites>\n`;
}

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

function kindOf({ status, known }: CheckDocument, { unreachable }: VerifyDocument): Kind {
  if (status === 'skipped') return 'skipped';
  if (status === 'passed' || status === 'warned') return 'passed';
  if (known !== undefined) return 'skipped';
  if (status === 'incomplete') return 'error';
  return unreachable === undefined ? 'failure' : 'error';
}

function testCase(check: CheckDocument, document: VerifyDocument): string {
  const { id, duration_ms: duration, diagnosis, status, known, observed, reason } = check;
  const classname = `authcli.${id.slice(0, id.indexOf('/'))}`;
  const attributes = { classname, name: id, time: seconds(duration) };
  const kind = kindOf(check, document);
  if (kind === 'passed') return element('testcase', attributes);
  if (kind === 'skipped') {
    const message = known ? `Known failure: ${known.reason}` : reason;
    return element('testcase', attributes, element('skipped', { message }));
  }
  const why = {
    message: diagnosis?.message ?? observed ?? reason,
    type: diagnosis?.code ?? status,
  };
  const explanation = escapeXml(explain(check, document));
  return element('testcase', attributes, element(kind, why, explanation));
}

function explain(check: CheckDocument, document: VerifyDocument): string {
  return [
    check.title,
    ...factsOf(check, document).map(([name, text]) => `${name}: ${text}`),
    ...commandsOf(check),
  ].join('\n');
}

function outputOf(document: VerifyDocument): string {
  const warned = document.checks.filter(({ status }) => status === 'warned');
  const warnings = warned.map((check) => `warning: ${check.id}\n${explain(check, document)}`);
  const users =
    document.users.length === 0
      ? []
      : [`Test users: ${document.users.map(escapeControls).join(' ')}`];
  return [...remarksOf(document), ...warnings, ...users].join('\n');
}

/** One XML element; attributes are escaped, undefined ones left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...content: readonly string[]
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('');
  const inner = content.join('');
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/** Text for content and attributes, its controls escaped; what else XML 1.0 forbids (2.2) becomes U+FFFD. */
export function escapeXml(text: string): string {
  return escapeWithinLines(text)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"'\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
