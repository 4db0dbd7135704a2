import { checksSection } from './html/check-list.ts';
import { commandLine } from './html/command-line.ts';
import { faultSection } from './html/fault-section.ts';
import { html, type Markup, type Part } from './html/markup.ts';
import { htmlPage } from './html/page.ts';
import { signupSequence } from './html/sequence-of-check.ts';
import { hasTimes, timesSection } from './html/times-section.ts';
import { verdictSection } from './html/verdict-section.ts';
import { anchorOf, counted, statusMarks, verdictOf } from './html/words.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { commandOf, targetOf } from './verify-words.ts';

/**
 * A run as one HTML file to be mailed: it needs no script and loads nothing. Every text is escaped;
 * secrets have been hidden in the document before.
 */
export function verifyHtml(document: VerifyDocument): string {
  const { checks } = document;
  const failed = checks.filter(({ status }) => status === 'failed');
  const warned = checks.filter(({ status }) => status === 'warned');
  const { text, tone } = verdictOf(document);
  return htmlPage({
    title: `${statusMarks[tone]} ${text}: ${commandOf(document)} ${targetOf(document)}`,
    body: html`<main>
${verdictSection(document)}
${contents([...failed, ...warned], hasTimes(document))}
${faultSection('What is wrong', 'wrong', failed, document)}
${faultSection('What should be better', 'better', warned, document)}
${checksSection(document)}
${timesSection(document)}
${courseSection(document)}
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

function courseSection(document: VerifyDocument): Part {
  const picture = signupSequence(document);
  return (
    picture !== undefined &&
    html`<section aria-labelledby="course">
<h2 id="course">The course of a sign-up</h2>
<p>The service, which authcli plays here, calls the callback URL of the application twice. So it went in this run:</p>
${picture}
</section>`
  );
}

function usersSection({ users }: VerifyDocument): Markup {
  return html`<section aria-labelledby="users">
<h2 id="users">Test users</h2>
<p>${
    users.length === 0
      ? 'The run signed nobody up.'
      : `The run used ${counted(users.length, 'user code')}; they can be removed from the application.`
  }</p>
${users.length > 0 && html`<details><summary>${counted(users.length, 'user code')}</summary><ul class="users mono">${users.map((user) => html`<li>${user}</li>`)}</ul></details>`}
</section>`;
}

function repeatSection({ repeat }: VerifyDocument): Markup {
  return html`<section aria-labelledby="repeat">
<h2 id="repeat">To repeat the run</h2>
<pre><code>${commandLine(repeat)}</code></pre>
</section>`;
}
