/** Text, cards, lists and tabs. */
export const pageStyle = `
:root { --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; overflow-wrap: anywhere; }
main { max-width: 64rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; overflow-wrap: break-word; }
h1 { font-size: 1.75rem; margin: 0; }
h2 { font-size: 1.375rem; margin: 3rem 0 1rem; }
h3 { font-size: 1.0625rem; margin: 0; }
h4 { font-size: .875rem; margin: 1.25rem 0 .375rem; color: var(--muted); }
p { margin: .5rem 0; max-width: 44rem; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code, pre, .mono { font-family: var(--mono); font-size: .875em; }
pre { margin: 0; padding: .625rem .75rem; background: var(--code); border-radius: .375rem; white-space: pre-wrap; line-height: 1.5; }
pre code { font-size: .8125rem; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }

.brand { max-width: none; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; color: var(--muted); font-size: .875rem; margin-bottom: .75rem; }
.verdict { border-left: .5rem solid var(--tone); background: var(--wash); border-radius: .5rem; padding: 1.25rem 1.25rem 1.125rem; }
.verdict p { margin: .375rem 0 0; }
.is-failed { --tone: var(--failed); --wash: var(--failed-wash); }
.is-passed { --tone: var(--passed); --wash: var(--passed-wash); }
.is-warned { --tone: var(--warned); --wash: var(--warned-wash); }
.is-skipped { --tone: var(--skipped); --wash: var(--card); }
.bar { display: flex; gap: 2px; height: .625rem; margin: 1rem 0 .75rem; }
.bar svg { width: 100%; height: .625rem; border-radius: .3125rem; }
.bar .is-failed, .bar .is-passed, .bar .is-warned, .bar .is-skipped { fill: var(--tone); }
.counts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; list-style: none; margin: 0; padding: 0; }
.counts strong { font-size: 1.25rem; }
.status { color: var(--tone); font-weight: 600; }

.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 1.25rem 0 0; font-size: .9375rem; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; min-width: 0; }
nav { margin-top: 1.5rem; padding: .625rem 0; border-block: 1px solid var(--line); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: 0; }
nav a { display: inline-block; padding: .25rem 0; }

.fault { border: 1px solid var(--line); border-top: .25rem solid var(--tone); border-radius: .5rem; padding: 1rem 1.25rem 1.25rem; margin: 0 0 1.25rem; background: var(--page); }
.fault header p { margin: .25rem 0 0; }
.fault .sentence { border-left: 3px solid var(--line); padding-left: .75rem; color: var(--muted); margin: .75rem 0; }
.compare { display: grid; gap: .75rem; margin: 1rem 0 0; }
.compare div { background: var(--card); border-radius: .375rem; padding: .625rem .75rem; min-width: 0; border-left: 3px solid var(--tone); }
.compare dt { font-size: .8125rem; color: var(--muted); }
.compare dd { margin: 0; }
@media (min-width: 46rem) { .compare { grid-template-columns: 1fr 1fr; } }
.cause code { background: var(--code); border-radius: .25rem; padding: .125rem .375rem; margin-right: .25rem; }
.mend { border-left: 3px solid var(--link); padding-left: .75rem; }

.tabs { border: 0; margin: .75rem 0 0; padding: 0; min-width: 0; }
.tabs legend { font-size: .875rem; color: var(--muted); padding: 0 0 .375rem; }
.tabs > div { display: flex; flex-wrap: wrap; }
.tabs input { appearance: none; width: 1px; height: 1px; margin: 0 -1px 0 0; }
.tabs label { order: 0; padding: .375rem .75rem; cursor: pointer; font-size: .875rem; border-bottom: 3px solid transparent; }
.tabs label:hover { background: var(--card); }
.tabs input:checked + label { font-weight: 600; border-bottom-color: var(--link); }
.tabs input:focus-visible { outline: none; }
.tabs input:focus-visible + label { outline: 3px solid var(--link); outline-offset: -3px; border-radius: .25rem; }
.tabs .panel { order: 1; flex: 0 0 100%; display: none; min-width: 0; }
.tabs .language { display: none; font-size: .8125rem; color: var(--muted); margin-top: .375rem; }
.tabs .panel pre { border-top-left-radius: 0; }
__PANELS__

.word { white-space: nowrap; }
.repeat pre + pre { margin-top: .375rem; }
details { margin-top: .75rem; }
summary { cursor: pointer; padding: .25rem 0; color: var(--link); }
.checks { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
.checks li { display: grid; grid-template-columns: 1.25rem minmax(0, 1fr); gap: 0 .5rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
.checks .mark { color: var(--tone); font-weight: 700; }
.checks p { margin: 0; max-width: none; }
.checks .small { color: var(--muted); }
.group { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; margin: 1.75rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .8125rem; }
caption { text-align: left; color: var(--muted); padding: .25rem 0; }
th { overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; white-space: nowrap; }
th.figure { text-align: right; }
.users { columns: 14rem; padding-left: 1.25rem; margin: .5rem 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted); font-size: .875rem; }
`.replace('__PANELS__', panelRules());

/** The n-th radio button shows the n-th panel; there are as many as languages at most. */
function panelRules(): string {
  const rules = Array.from(
    { length: 8 },
    (_, index) =>
      `.tabs input:nth-of-type(${index + 1}):checked ~ .panel:nth-of-type(${index + 1})`,
  );
  return `${rules.join(',\n')} { display: block; }`;
}
