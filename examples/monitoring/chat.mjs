// Posts a change that `authcli verify --every --on-change 'node chat.mjs'` found to a webhook of
// Slack, Mattermost, Rocket.Chat or whatever else takes {"text": …}. WEBHOOK_URL is its address.
import { text as readAll } from 'node:stream/consumers';

const { text } = JSON.parse(await readAll(process.stdin));
const response = await fetch(process.env.WEBHOOK_URL, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text }),
  signal: AbortSignal.timeout(30_000),
});
// Whatever ends with another status than 0 gets the same change again after the next run.
if (!response.ok) throw new Error(`The webhook responded with ${response.status}.`);
