import { html, type Markup } from './markup.ts';

/**
 * A command line that breaks between its words: a browser would break it at every hyphen, in the
 * middle of a flag. Long words break where they must.
 */
export function commandLine(text: string): Markup {
  const parts = text.split(/( +)/).map((word) => {
    const isWhole = word.includes('-') && word.length <= 32;
    return isWhole ? html`<span class="word">${word}</span>` : word;
  });
  return html`${parts}`;
}
