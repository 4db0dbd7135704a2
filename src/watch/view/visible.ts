/** Which rows of a long list are drawn. */
export interface Visible {
  readonly first: number;
  /** Behind the last. */
  readonly end: number;
}

/** So many rows are drawn above and below what can be seen, so that scrolling meets no gaps. */
const margin = 8;

/** The rows that can be seen in a list of `count` rows of the same height, with some around them. */
export function visibleRows(
  count: number,
  view: { readonly top: number; readonly height: number; readonly rowHeight: number },
): Visible {
  const { top, height, rowHeight } = view;
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - margin));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + margin);
  return { first, end: Math.max(first, end) };
}

/** Where to scroll to so that the row is seen whole; undefined where it is. */
export function scrollTo(
  index: number,
  view: { readonly top: number; readonly height: number; readonly rowHeight: number },
): number | undefined {
  const { top, height, rowHeight } = view;
  const start = index * rowHeight;
  if (start < top) return start;
  const end = start + rowHeight;
  return end > top + height ? end - height : undefined;
}
