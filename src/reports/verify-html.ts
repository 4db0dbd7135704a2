import { callsOf } from '../diagnosis/catalogue.ts';
import { counted } from '../text.ts';
import { faultSection } from './html/fault-section.ts';
import { languageChooser } from './html/languages.ts';
import { html, htmlPage, type Markup, type Part } from './html/markup.ts';
import { signupSequence } from './html/sequence-of-check.ts';
import { hasTimes, timesSection } from './html/times-section.ts';
import { verdictSection } from './html/verdict-section.ts';
import {
  anchorOf,
  commandLine,
  formatDuration,
  groupTitle,
  statusMarks,
  verdictOf,
} from './html/words.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { groupsOf, troubled } from './verify-words.ts';

/** A run as one HTML file without scripts, which loads nothing; secrets are redacted before. */
export function verifyHtml(document: VerifyDocument): string {
  const faults = troubled(document);
  const failed = faults.filter(({ status }) => status === 'failed');
  const warned = faults.filter(({ status }) => status === 'warned');
  const { text, tone } = verdictOf(document);
  return htmlPage({
    title: `${statusMarks[tone]} ${text}: authcli ${document.command} ${document.target}`,
    body: html`<main>
${verdictSection(document)}
${contents(faults, hasTimes(document))}
${languageChooser(faults.flatMap(({ diagnosis }) => (diagnosis ? [callsOf(diagnosis)] : [])))}
${faultSection('Failures', 'failures', failed, document)}
${faultSection('Warnings', 'warnings', warned, document)}
${checksSection(document)}
${timesSection(document)}
${flowSection(document)}
${usersSection(document)}
${repeatSection(document)}
</main>`,
  });
}

function contents(troubled: readonly CheckDocument[], hasRequests: boolean): Markup {
  const entries = troubled.map(
    (check) =>
      html`<li class="is-${check.status}"><span class="status" aria-hidden="true">${statusMarks[check.status]}</span> <a href="#${anchorOf(check)}">${check.id}</a></li>
`,
  );
  return html`<nav aria-label="In this report">
${entries.length > 0 && html`<ul>${entries}</ul>`}
<ul><li><a href="#checks">All checks</a></li>${hasRequests && html`<li><a href="#times">Response times</a></li>`}<li><a href="#users">Test users</a></li></ul>
</nav>`;
}

function flowSection(document: VerifyDocument): Part {
  const picture = signupSequence(document);
  return (
    picture !== undefined &&
    html`<section aria-labelledby="flow">
<h2 id="flow">The flow of a sign-up</h2>
<p>The service, here emulated by authcli, calls the callback URL of the application twice. In this run:</p>
${picture}
</section>`
  );
}

function usersSection({ users }: VerifyDocument): Markup {
  return html`<section aria-labelledby="users">
<h2 id="users">Test users</h2>
<p>${
    users.length === 0
      ? 'The run signed up no users.'
      : `The run used ${counted(users.length, 'user code')}; they can be removed from the application.`
  }</p>
${users.length > 0 && html`<details><summary>${counted(users.length, 'user code')}</summary><ul class="users mono">${users.map((user) => html`<li>${user}</li>`)}</ul></details>`}
</section>`;
}

function repeatSection({ repeat }: VerifyDocument): Markup {
  return html`<section aria-labelledby="repeat">
<h2 id="repeat">Run it again</h2>
<pre><code>${commandLine(repeat)}</code></pre>
</section>`;
}

function checksSection({ checks, controls }: VerifyDocument): Markup {
  return html`<section aria-labelledby="checks">
<h2 id="checks">All checks</h2>
${groupsOf(checks).map(([group, members]) => checkGroup(groupTitle(group), members))}
${controls.length > 0 && checkGroup('Run only as positive controls', controls)}
</section>`;
}

function checkGroup(title: string, checks: readonly CheckDocument[]): Markup {
  const passed = checks.filter(({ status }) => status === 'passed').length;
  return html`<div class="group"><h3>${title}</h3><span class="small muted">${passed} of ${checks.length} passed</span></div>
<ul class="checks">${checks.map(checkLine)}</ul>
`;
}

function checkLine(check: CheckDocument): Markup {
  const { id, title, status, level, section, reason, notes, known, duration_ms: duration } = check;
  const isTroubled = status === 'failed' || status === 'warned';
  const link = isTroubled ? html`<a href="#${anchorOf(check)}">${id}</a>` : id;
  return html`<li class="is-${status}"><span class="mark" aria-hidden="true">${statusMarks[status]}</span><div>
<p>${title}</p>
<p class="small"><span class="status">${status}</span> &middot; <span class="mono">${link}</span> &middot; ${level} &middot; section ${section}${check.exchanges.length > 0 && ` · ${formatDuration(duration)}`}</p>
${reason !== undefined && html`<p class="small">Skipped: ${reason}</p>`}
${known && html`<p class="small">Known: ${known.reason}</p>`}
${!isTroubled && notes.map((note) => html`<p class="small">${note}</p>`)}
</div></li>
`;
}
