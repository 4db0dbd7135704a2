import type { CheckDocument, VerifyDocument } from '../verify-document.ts';
import { groupsOf } from '../verify-words.ts';
import { formatDuration } from './duration.ts';
import { html, type Markup, type Part } from './markup.ts';
import { anchorOf, groupTitle, statusMarks } from './words.ts';

/** Every check in a line, by group. */
export function checksSection({ checks, controls }: VerifyDocument): Markup {
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
  return html`<li class="is-${status}"><span class="mark" aria-hidden="true">${statusMarks[status]}</span><div>
<p>${title}</p>
<p class="small"><span class="status">${status}</span> &middot; <span class="mono">${linked(id, isTroubled && anchorOf(check))}</span> &middot; ${level} &middot; section ${section}${check.exchanges.length > 0 && ` · ${formatDuration(duration)}`}</p>
${reason !== undefined && html`<p class="small">${reason}</p>`}
${known && html`<p class="small">Known: ${known.reason}</p>`}
${!isTroubled && notes.map((note) => html`<p class="small">${note}</p>`)}
</div></li>
`;
}

function linked(text: string, anchor: string | false): Part {
  return anchor === false ? text : html`<a href="#${anchor}">${text}</a>`;
}
