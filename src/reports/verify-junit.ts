import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import { escapeControls, escapeWithinLines } from '../text.ts';
import { Markup, templates } from './html.ts';
import { commandsOf, factsOf, remarksOf, seconds } from './verify-words.ts';

/** A template of XML 1.0: controls are escaped in texts, and what else it forbids (2.2) becomes U+FFFD. */
export const xml = templates((text) =>
  escapeWithinLines(text)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"'\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`),
);

/**
 * A run as JUnit XML, in the elements and the order that the common schemas share. Failures are
 * `error` if the endpoint was unreachable, as what could not be tested is, `skipped` if known; warnings are in `system-out`.
 */
export function verifyJunit(document: VerifyDocument): string {
  const { checks, command, target: url, seed, cipher, version, requirements, client_id } = document;
  const kinds = checks.map((check) => kindOf(check, document));
  const count = (kind: Kind): number => kinds.filter((each) => each === kind).length;
  const hostname = document.url === undefined ? 'localhost' : new URL(document.url).hostname;
  const place = xml`hostname="${hostname}" timestamp="${document.started_at.slice(0, 19)}"`;
  const counts = xml`tests="${checks.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const facts = Object.entries({ url, client_id, cipher, seed, version, requirements });
  const properties = facts.map(
    ([name, value]) => value !== undefined && xml`<property name="${name}" value="${value}"/>`,
  );
  const output = outputOf(document);
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite id="0" name="authcli ${command}" package="authcli" ${place} ${counts} time="${seconds(document.duration_ms)}"><properties>${properties}</properties>${checks.map(
    (check) => xml`
${testCase(check, document)}`,
  )}
${output === '' ? xml`<system-out/>` : xml`<system-out>${output}</system-out>`}<system-err/></testsuite>
</testsuites>
`.text;
}

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

function kindOf({ status, known }: CheckDocument, { unreachable }: VerifyDocument): Kind {
  if (status === 'skipped') return 'skipped';
  if (status === 'passed' || status === 'warned') return 'passed';
  if (known !== undefined) return 'skipped';
  if (status === 'incomplete') return 'error';
  return unreachable === undefined ? 'failure' : 'error';
}

function testCase(check: CheckDocument, document: VerifyDocument): Markup {
  const { id, diagnosis, status, known, observed, reason } = check;
  const kind = kindOf(check, document);
  const group = id.slice(0, id.indexOf('/'));
  const time = seconds(check.duration_ms);
  const place = xml`classname="authcli.${group}" name="${id}" time="${time}"`;
  if (kind === 'passed') return xml`<testcase ${place}/>`;
  if (kind === 'skipped') {
    const message = known ? `Known failure: ${known.reason}` : reason;
    return xml`<testcase ${place}><skipped message="${message}"/></testcase>`;
  }
  const tag = new Markup(kind);
  const message = diagnosis?.message ?? observed ?? reason;
  const why = xml`message="${message}" type="${diagnosis?.code ?? status}"`;
  return xml`<testcase ${place}><${tag} ${why}>${explain(check, document)}</${tag}></testcase>`;
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
