import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { unwrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { bin, start } from '../support/program.ts';
import type { HardeningOptions, SectionResult } from './section.ts';
import { trialFolder } from './worker.ts';

/**
 * Registrations that the emulated application can't decrypt, of every kind by turns over one
 * connection: how far apart the medians of their times are, beside those of one kind that is there
 * twice. It only reports; a machine that is busy elsewhere must not fail a run.
 */
export async function decryptionTimes({ quick }: HardeningOptions): Promise<SectionResult> {
  const rounds = quick ? 200 : 3000;
  const folder = trialFolder();
  const env = { AUTHCLI_CONFIG: join(folder, 'config.json') };
  const emulator = start(process.execPath, [bin, 'emulate', 'app', '--json', '--quiet'], { env });
  let url = '';
  emulator.child.stdout?.once('data', (line) => {
    url = (JSON.parse(String(line).split('\n')[0] ?? '') as { url: string }).url;
  });
  try {
    await emulator.says('"listening"');
    const { medians, refused } = await measure(new URL('/callback', url), rounds);
    const [again = 0, first = 0, ...others] = medians;
    const all = [first, ...others];
    return {
      rows: [
        row('failed decryptions, of five kinds', refused, Math.max(...all) - Math.min(...all)),
        row('  of one kind, twice', 2 * rounds, Math.abs(again - first)),
      ],
      failures: refused === 6 * rounds ? [] : [`${6 * rounds - refused} were not refused alike`],
    };
  } finally {
    emulator.child.kill('SIGTERM');
    await emulator.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(what: string, tried: number, ms: number) {
  return {
    what,
    tried,
    outcome: 'µs between medians',
    count: Math.round(1000 * ms),
    atLeast: 1000,
  };
}

/** Sends the kinds by turns, the first of them twice in a round; the medians in milliseconds. */
async function measure(url: URL, rounds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (fields: object) => post(url, { client_id: 'authcli-client', ...fields }, agent);
  const key = await exchangeKey(send);
  const times: number[][] = Array.from({ length: 6 }, () => []);
  let refused = 0;
  for (let round = 0; round < rounds + 50; round += 1) {
    const kinds = [...payloads(key).entries()].sort(() => Math.random() - 0.5);
    for (const [kind, partnerSp] of kinds) {
      const { text, ms } = await send({ used_type: '2', ptn_cd: 'u', partner_sp: partnerSp });
      if (round < 50) continue; // the code is still being compiled
      times[kind]?.push(ms);
      if (/"code":"A108"/.test(text)) refused += 1;
    }
  }
  agent.destroy();
  const medianOf = (values: readonly number[]) =>
    values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
  return { medians: times.map(medianOf), refused };
}

/** A wrong key twice, then what else can be wrong; all but the last are as long as a right one. */
function payloads(key: string): readonly string[] {
  const encrypted = (text: Uint8Array, own: string, padding: 'pkcs7' | 'none' = 'pkcs7') =>
    encryptPayload(text, own, { ...defaultCipher, padding }, randomBytes);
  const wrongKey = () => encrypted(randomBytes(24), randomBytes(16).toString('hex'));
  const badPadding = encrypted(Buffer.concat([randomBytes(31), Buffer.alloc(1)]), key, 'none');
  const noText = encrypted(Buffer.concat([Buffer.alloc(1, 0xff), randomBytes(23)]), key);
  const right = encrypted(randomBytes(24), key);
  const noBase64 = `!${right.slice(1)}`;
  const wrongLength = Buffer.from(right, 'base64').subarray(0, 47).toString('base64');
  return [wrongKey(), wrongKey(), badPadding, noText, noBase64, wrongLength];
}

type Send = (fields: object) => Promise<{ readonly text: string; readonly ms: number }>;

async function exchangeKey(send: Send): Promise<string> {
  const pair = await generateKeyPair();
  const fields = { used_type: '1', ptn_cd: 'u', public_key: exportPublicKey(pair.publicKey) };
  const { result } = JSON.parse((await send(fields)).text);
  const opened = unwrapKey(pair, result.enc_partner_key);
  if (!opened.ok) throw new Error('the emulated application made no key');
  return Buffer.from(opened.message).toString();
}

function post(url: URL, fields: object, agent: Agent): ReturnType<Send> {
  const body = JSON.stringify(fields);
  const headers = {
    'content-type': 'application/json;charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ text, ms: performance.now() - startedAt }));
    });
    sent.on('error', reject).end(body);
  });
}
