import { stacks } from '../../errors.ts';

const colours = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --card: #f6f7f9; --code: #eceef2; --line: #d5d9e0; --strong-line: #6b7280;
  --text: #1b1f26; --muted: #525a67; --link: #0b55c4;
  --passed: #1a6f37; --failed: #b3261e; --warned: #855300; --skipped: #525a67;
  --failed-wash: #fdecea; --passed-wash: #e8f5ec; --warned-wash: #fdf3e0; --evidence-wash: #fbdcd8;
  --s0: #0b55c4; --s1: #8a2f9c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101318; --card: #191d24; --code: #242a33; --line: #333a45; --strong-line: #8b95a5;
    --text: #e7eaef; --muted: #a3acba; --link: #8ab8ff;
    --passed: #5fd38d; --failed: #ff938a; --warned: #f2bd4b; --skipped: #a3acba;
    --failed-wash: #351b1c; --passed-wash: #14291d; --warned-wash: #30260f; --evidence-wash: #4a2322;
    --s0: #7db0ff; --s1: #df9bef;
  }
}
`;

const print = `
@media print {
  @page { margin: 16mm 14mm; }
  :root {
    color-scheme: light;
    --page: #ffffff; --card: #ffffff; --code: #f3f4f6; --line: #c3c8d0; --strong-line: #6b7280;
    --text: #000000; --muted: #444b56; --link: #0b3f91;
    --passed: #145a2c; --failed: #97170f; --warned: #6f4500; --skipped: #444b56;
    --failed-wash: #ffffff; --passed-wash: #ffffff; --warned-wash: #ffffff; --evidence-wash: #fbe3e0;
    --s0: #0b3f91; --s1: #701f80;
  }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  pre { border: 1px solid var(--line); }
  nav, .languages { display: none; }
  .panel { display: block !important; }
  .fault header, .repeat, figure, .checks li, .panel, .verdict { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .verdict, .bar span { print-color-adjust: exact; }
}
`;

const pageStyle = `
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
.bar rect { fill: var(--tone); }
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
.fix { border-left: 3px solid var(--link); padding-left: .75rem; }

.languages { position: sticky; top: 0; z-index: 1; display: flex; overflow-x: auto; align-items: center; border: 0; border-bottom: 1px solid var(--line); margin: .75rem 0 0; padding: .375rem 0; min-width: 0; background: var(--page); }
.languages legend { float: left; white-space: nowrap; padding: 0 .5rem 0 0; font-size: .875rem; color: var(--muted); }
@media (max-width: 45.99rem) { .languages legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } }
.languages input { appearance: none; width: 1px; height: 1px; margin: 0 -1px 0 0; }
.languages label { flex: none; padding: .25rem .625rem; cursor: pointer; font-size: .875rem; border-bottom: 3px solid transparent; }
.languages label:hover { background: var(--card); }
.languages input:checked + label { font-weight: 600; border-bottom-color: var(--link); }
.languages input:focus-visible { outline: none; }
.languages input:focus-visible + label { outline: 3px solid var(--link); outline-offset: -3px; border-radius: .25rem; }
main:has(.languages) :is(article, section, h2, h3) { scroll-margin-top: 3.5rem; }
.calls { margin-top: .75rem; }
.panel { display: none; min-width: 0; }
.panel .language { font-size: .8125rem; color: var(--muted); }
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
`.replace('__PANELS__', panelRules());

/** The chosen language shows its panels; a browser without :has() shows all of them. */
function panelRules(): string {
  const rules = stacks.map((stack) => `main:has(#stack-${stack}:checked) .for-${stack}`);
  return `${rules.join(',\n')} { display: block; }
@supports not selector(:has(*)) { .panel { display: block; } .languages { display: none; } }`;
}

/** Each picture is drawn twice, for narrow and for wide pages. */
const pictureStyle = `
figure { margin: 1rem 0 0; }
figure + h3 { margin-top: 1.5rem; }
figcaption { color: var(--muted); font-size: .875rem; margin-top: .5rem; }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px var(--mono); }
.wide { display: none; }
.narrow svg { width: 100%; max-width: 30rem; }
@media (min-width: 46rem), print { .wide { display: block; } .narrow { display: none; } }

.sequence .is-good { --tone: var(--passed); }
.sequence :is(.is-bad, .is-none) { --tone: var(--failed); }
.sequence .life { stroke: var(--strong-line); stroke-dasharray: 2 3; }
.sequence .name { font-weight: 600; }
.sequence .detail { fill: var(--muted); }
.sequence rect { fill: var(--evidence-wash); }
.sequence rect ~ g .detail { fill: var(--text); }
.sequence path { fill: none; stroke: currentColor; stroke-width: 1.25; }
.sequence .head { fill: currentColor; }
.sequence .lost { stroke-width: 2; }
.sequence .response .shaft { stroke-dasharray: 5 3; }
.sequence .response .title { fill: var(--tone); }
.sequence :is(.is-bad, .is-none) .response { color: var(--tone); }

.plot .grid { stroke: var(--line); }
.plot .axis { stroke: var(--strong-line); }
.plot .tick { font-size: 11px; fill: var(--muted); }
.chart .bad { fill: var(--failed); }
.chart .s0, .chart .s1 { stroke: none; }
.median { stroke: var(--strong-line); stroke-dasharray: 4 4; }
.limit { stroke: var(--failed); stroke-width: 1.5; }
.s0 { fill: var(--s0); stroke: var(--s0); }
.s1 { fill: var(--s1); stroke: var(--s1); }
.full { fill-opacity: .8; stroke: none; }
.hollow { fill: var(--page); stroke-width: 1.5; }
.cross { fill: none; stroke-width: 2; }

.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: 0 0 .5rem; }
.legend li { display: flex; align-items: center; gap: .375rem; }
.legend svg { flex: none; }
`;

/** The style sheet of a report, which loads nothing. */
export const style = [colours, pageStyle, pictureStyle, print]
  .join('\n')
  .replace(/\s*\n\s*/g, '\n')
  .trim();
