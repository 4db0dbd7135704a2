import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { type RunningSide, startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-init-'));
let count = 0;
export let app: RunningSide;
export const gcm = 'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12';
export const usual = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
export const nobody = 'http://127.0.0.1:9/callback';
export const noColour = { NO_COLOR: '1' };
export const ctrlC = new AuthcliError('interrupted', 'Interrupted.');

before(async () => {
  app = await startSide(['app', '--cipher', gcm], { configFile: newFile() });
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The name of a configuration file that doesn't exist yet. */
export function newFile(): string {
  count += 1;
  return join(folder, `${count}.json`);
}

/** The settings of a profile. */
export function settingsIn(file: string, profile = 'default'): unknown {
  return JSON.parse(readFileSync(file, 'utf8')).profiles[profile];
}
