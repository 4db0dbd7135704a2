import type { AnyCommand, CommandEntry } from '../command.ts';

/** A command, what it does, and its module, which is loaded when the command is called. */
type Row = readonly [path: string, summary: string, load: () => Promise<object>];

const simulate = () => import('../simulate/simulate.ts');
const signin = () => import('../signin/signin.ts');
const emulate = () => import('../emulate/emulate.ts');
const generate = () => import('../key/generate.ts');
const perUserKey = () => import('../key/per-user.ts');
const cipher = () => import('../payload/cipher.ts');
const payload = () => import('../payload/payload.ts');
const users = () => import('./users.ts');
const config = () => import('./config.ts');
const demo = () => import('../demo/demo.ts');
const init = () => import('../init/init.ts');
const verify = () => import('../verify/verify.ts');
const explore = () => import('../explore/explore.ts');
const load = () => import('../load/load.ts');
const loadExport = () => import('../load/load-export.ts');
const reportDiff = () => import('../verify/report-diff.ts');
const relay = () => import('../traffic/relay.ts');
const analyze = () => import('../traffic/analyze.ts');
const learn = () => import('../traffic/learn.ts');
const replay = () => import('../traffic/replay.ts');
const inspect = () => import('../key/inspect.ts');
const cipherProbe = () => import('../payload/cipher-probe.ts');
const doctor = () => import('../doctor/doctor.ts');
const explain = () => import('../explain/explain.ts');
const commandList = () => import('./commands.ts');
const completion = () => import('../complete/completion.ts');
const mcp = () => import('./mcp.ts');
const openapi = () => import('./openapi.ts');

/** By the heading of the program's help that lists them; without one they are only named there. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  'Start here': [
    ['demo', 'a sign-up and a sign-in, explained step by step', demo],
    ['init', 'set up a profile interactively', init],
  ],
  'Develop and test': [
    ['simulate-signup', 'act as the service: key exchange, then registration', simulate],
    ['signin', "act as the application's server, and compare the passcode", signin],
    ['emulate app', 'run a reference application on loopback', emulate],
    ['emulate service', "run the service's endpoints on loopback", emulate],
    ['verify', 'check a callback endpoint against the interface, also in CI', verify],
    ['explore', 'find faults that only sequences of callbacks show', explore],
    ['load', 'many sign-ups, every key checked; with Artillery: load export', load],
    ['load export', 'the same load for many machines, run by Artillery', loadExport],
    ['report diff', 'compare two runs of verify: what broke, what was fixed', reportDiff],
  ],
  'Work with real traffic': [
    ['relay', 'forward traffic between service and application, and judge it', relay],
    ['analyze', 'judge captured traffic: recordings, HTTP archives, logs', analyze],
    ['learn', 'find cipher, time zone, codes and more in recorded traffic', learn],
    ['replay', 'send recorded callbacks again and compare the responses', replay],
  ],
  'Keys and payloads': [
    ['key generate', 'generate a per-user key', generate],
    ['key wrap', 'wrap a per-user key with a public key', perUserKey],
    ['key unwrap', "decrypt an enc_partner_key, or explain why it can't be decrypted", perUserKey],
    ['key pair', 'generate an RSA key pair', generate],
    ['key inspect', "identify a key text or file, what is in it and what's wrong with it", inspect],
    ['cipher list', 'the ciphers that can be set, and who uses them', cipher],
    ['cipher identify', 'find the cipher of a payload', cipher],
    ['cipher probe', 'find the cipher that an application expects', cipherProbe],
    ['encrypt', 'encrypt a payload with a per-user key', payload],
    ['decrypt', 'decrypt a partner_sp, ptn_sp or ubifill', payload],
  ],
  'Set up and troubleshoot': [
    ['doctor', 'check the set-up and the connection to the endpoints', doctor],
    ['explain', 'what a code means, how it was recognised, and how to fix it', explain],
    ['users list', 'the users whose keys are stored', users],
    ['users show', 'the stored data of one user', users],
    ['users import', 'import users from a file', users],
    ['users export', 'export the stored users with their keys', users],
    ['users remove', 'forget a user', users],
    ['config list', 'the settings, and where each comes from', config],
    ['config get', 'one setting', config],
    ['config set', 'set a setting of the profile', config],
    ['config unset', 'remove a setting from the profile', config],
    ['config path', 'where the config file is', config],
    ['config profile list', 'the profiles', config],
    ['config profile use', 'make a profile the active one', config],
    ['config profile create', 'create a profile', config],
    ['config profile remove', 'remove a profile and its users', config],
  ],
  '': [
    ['simulate-key-exchange', 'act as the service: only the key-exchange callback', simulate],
    ['simulate-registration', 'act as the service: only the registration callback', simulate],
    ['token', 'exchange a ptn_token for an access token', signin],
    ['authenticate', 'authenticate with an access token', signin],
    ['issue-ptn-token', 'issue a token for the emulated service', signin],
    ['commands', 'every command; with --json, the complete command tree', commandList],
    ['completion', 'a script that completes commands, flags and values in your shell', completion],
    ['mcp', 'serve tools to a coding agent (Model Context Protocol)', mcp],
    ['openapi', 'the interface as an OpenAPI document, for validators and generators', openapi],
  ],
};

export const commands: readonly CommandEntry[] = Object.entries(rows).flatMap(([heading, some]) =>
  some.map(([path, summary, load]) => ({
    path,
    summary,
    heading: heading || undefined,
    load: async () => {
      const exported: readonly Partial<AnyCommand>[] = Object.values(await load());
      const found = exported.find((definition) => definition.path === path);
      if (found === undefined) throw new TypeError(`no module defines the command ${path}`);
      return found as AnyCommand;
    },
  })),
);
