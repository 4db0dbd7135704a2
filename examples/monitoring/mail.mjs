// Mails a change that `authcli verify --every --on-change 'node mail.mjs'` found, with the sendmail
// that postfix, exim, msmtp and others install. MAIL_TO is who gets it.
import { spawnSync } from 'node:child_process';
import { text as readAll } from 'node:stream/consumers';

const { summary, text, cause, fix } = JSON.parse(await readAll(process.stdin));
const message = [
  `To: ${process.env.MAIL_TO}`,
  `Subject: authcli: ${summary}`,
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  text,
  ...(cause === null ? [] : ['', `Cause: ${cause}`, `Fix:   ${fix}`]),
];
const { error, status } = spawnSync('sendmail', ['-t', '-oi'], {
  input: `${message.join('\n')}\n`,
});
if (error) throw error;
process.exitCode = status ?? 1;
