/** What was sent and received, in the forms that other tools and people read; pure functions. */
export { type CurlOptions, toCurl } from './curl.ts';
export { type Har, type HarEntry, toHar } from './har.ts';
export { toWireText } from './wire-text.ts';
