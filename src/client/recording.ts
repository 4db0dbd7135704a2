/** What was sent and received, in the forms that other tools and people read; pure functions. */
export { toCurl } from './curl.ts';
export { toHar } from './har.ts';
export { toWireText } from './wire-text.ts';
