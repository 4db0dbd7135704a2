/** The pictures: sequence diagrams, the plot and its legend. Each is there twice, for narrow and for wide pages. */
export const pictureStyle = `
figure { margin: 1rem 0 0; }
figcaption { color: var(--muted); font-size: .875rem; margin-top: .5rem; }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px var(--mono); }
.wide { display: none; }
@media (min-width: 46rem), print { .wide { display: block; } .narrow { display: none; } }

.sequence .life { stroke: var(--strong-line); stroke-width: 1; stroke-dasharray: 2 3; }
.sequence .participant { fill: var(--page); stroke: var(--strong-line); }
.sequence .name { font-weight: 600; }
.sequence .detail { fill: var(--muted); }
.sequence .active { fill: var(--card); stroke: var(--strong-line); }
.sequence .request, .sequence .answer { fill: none; stroke: var(--text); stroke-width: 1.25; }
.sequence .answer { stroke-dasharray: 5 3; }
.sequence .head { fill: var(--text); }
.sequence .good .outcome { fill: var(--passed); }
.sequence .bad .outcome, .sequence .none .outcome { fill: var(--failed); }
.sequence .bad .answer, .sequence .none .answer, .sequence .lost { stroke: var(--failed); }
.sequence .bad .answer + .head { fill: var(--failed); }
.sequence .lost { fill: none; stroke-width: 2; }
.sequence .highlight { fill: var(--evidence-wash); }
.sequence .evidence .detail { fill: var(--text); }

.plot .grid { stroke: var(--line); }
.plot .axis { stroke: var(--strong-line); }
.plot .tick { font-size: 11px; }
.plot .tick { fill: var(--muted); }
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
