import { pageStyle } from './style-page.ts';
import { pictureStyle } from './style-picture.ts';

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

/** On paper: light, everything open, nothing cut between pages. */
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
  nav, .tabs label { display: none; }
  .tabs .panel { display: block !important; }
  .tabs .language { display: block; }
  .fault header, .repeat, figure, .checks li, .tabs .panel, .verdict { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .verdict, .bar span { print-color-adjust: exact; }
}
`;

/** The whole style sheet of a report: no image, no font, nothing to load. */
export const style = [colours, pageStyle, pictureStyle, print]
  .join('\n')
  .replace(/\s*\n\s*/g, '\n')
  .trim();
