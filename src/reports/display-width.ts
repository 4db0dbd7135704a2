const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** East Asian Wide and Fullwidth (UAX #11), and what is shown as a picture unless told otherwise (UTS #51). */
const wide =
  /^(?:[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;

/** Marks that stand alone, and characters that only say how others are shown. */
const unseen = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** The columns that `text` takes on a terminal: colours none, wide characters and pictures two. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length; // Intl takes 15 ms to be ready
  const segments = new Intl.Segmenter().segment(text.replace(colour, ''));
  let width = 0;
  for (const { segment } of segments) {
    if (!unseen.test(segment)) width += wide.test(segment) ? 2 : 1;
  }
  return width;
}

/** `text` without colours. */
export function withoutColour(text: string): string {
  return text.replace(colour, '');
}
