import type { AnyCommand, CommandEntry } from '../command.ts';

/** The commands of a module, which is loaded when one of them is called. */
function commandsOf(
  load: () => Promise<object>,
  summaries: Readonly<Record<string, string>>,
): readonly CommandEntry[] {
  return Object.entries(summaries).map(([path, summary]) => ({
    path,
    summary,
    load: async () => {
      const exported: readonly Partial<AnyCommand>[] = Object.values(await load());
      const found = exported.find((definition) => definition.path === path);
      if (found === undefined) throw new TypeError(`no module defines the command ${path}`);
      return found as AnyCommand;
    },
  }));
}

export const commands: readonly CommandEntry[] = [
  ...commandsOf(() => import('../demo/demo.ts'), {
    demo: 'a sign-up and a sign-in through both emulators, explained step by step',
  }),
  ...commandsOf(() => import('../init/init.ts'), {
    init: 'set up a profile interactively',
  }),
  ...commandsOf(() => import('../simulate/simulate.ts'), {
    'simulate-signup': 'act as the service: key exchange, then registration complete',
    'simulate-key-exchange': 'act as the service: only the key-exchange callback',
    'simulate-registration': 'act as the service: only the registration-complete callback',
  }),
  ...commandsOf(() => import('../signin/signin.ts'), {
    signin: "act as the application's server: token, authenticate, compare the passcode",
    token: 'exchange a ptn_token for an access token',
    authenticate: 'authenticate with an access token',
  }),
  ...commandsOf(() => import('../key/generate.ts'), {
    'key generate': 'generate a per-user key',
  }),
  ...commandsOf(() => import('../key/per-user.ts'), {
    'key wrap': 'wrap a per-user key with a public key',
    'key unwrap': "decrypt an enc_partner_key, or explain why it can't be decrypted",
  }),
  ...commandsOf(() => import('../key/generate.ts'), {
    'key pair': 'generate an RSA key pair',
  }),
  ...commandsOf(() => import('../key/inspect.ts'), {
    'key inspect': "identify a key text or file, what is in it and what's wrong with it",
  }),
  ...commandsOf(() => import('../payload/payload.ts'), {
    encrypt: 'encrypt a payload with a per-user key',
    decrypt: 'decrypt a partner_sp, ptn_sp or ubifill',
  }),
  ...commandsOf(() => import('../payload/cipher.ts'), {
    'cipher list': 'the ciphers that can be set, and who uses them',
    'cipher identify': 'find the cipher of a payload',
  }),
  ...commandsOf(() => import('../payload/cipher-probe.ts'), {
    'cipher probe': 'find the cipher that an application expects',
  }),
  ...commandsOf(() => import('../verify/verify.ts'), {
    verify: 'check a callback endpoint against the interface; the command for CI',
  }),
  ...commandsOf(() => import('../explore/explore.ts'), {
    explore: 'find faults that only sequences of callbacks show',
  }),
  ...commandsOf(() => import('../load/load.ts'), {
    load: 'many sign-ups at a set rate or as fast as possible, every key checked',
  }),
  ...commandsOf(() => import('../load/load-export.ts'), {
    'load export': 'the same load for many machines, run by Artillery',
  }),
  ...commandsOf(() => import('../traffic/analyze.ts'), {
    analyze: 'judge captured traffic: recordings, HTTP archives, logs',
  }),
  ...commandsOf(() => import('../traffic/learn.ts'), {
    learn: 'find cipher, time zone, codes and more in recorded traffic',
  }),
  ...commandsOf(() => import('../traffic/replay.ts'), {
    replay: 'send recorded callbacks again and compare the responses',
  }),
  ...commandsOf(() => import('../verify/report-diff.ts'), {
    'report diff': 'compare two runs of verify: what broke, what was fixed',
  }),
  ...commandsOf(() => import('../explain/explain.ts'), {
    explain: 'what a code means, how it was recognised, and how to fix it',
  }),
  ...commandsOf(() => import('../doctor/doctor.ts'), {
    doctor: 'check the set-up and the connection to the endpoints',
  }),
  ...commandsOf(() => import('./completion.ts'), {
    completion: 'a script that completes commands, flags and values in your shell',
  }),
  ...commandsOf(() => import('./commands.ts'), {
    commands: 'every command; with --json, the complete command tree',
  }),
  ...commandsOf(() => import('./openapi.ts'), {
    openapi: 'the interface as an OpenAPI document, for validators and generators',
  }),
  ...commandsOf(() => import('../emulate/emulate.ts'), {
    'emulate app': 'run a reference application on loopback',
    'emulate service': "run the service's endpoints on loopback",
  }),
  ...commandsOf(() => import('../traffic/relay.ts'), {
    relay: 'forward real traffic between service and application, and judge it',
  }),
  ...commandsOf(() => import('./mcp.ts'), {
    mcp: 'serve these tools to a coding agent (Model Context Protocol)',
  }),
  ...commandsOf(() => import('../signin/issue-ptn-token.ts'), {
    'issue-ptn-token': 'issue a token in place of the client library, for the emulated service',
  }),
  ...commandsOf(() => import('./users.ts'), {
    'users list': 'the users whose keys are stored',
    'users show': 'the stored data of one user',
    'users import': 'import users from a file',
    'users export': 'export the stored users with their keys',
    'users remove': 'forget a user',
  }),
  ...commandsOf(() => import('./config.ts'), {
    'config list': 'the settings, and where each comes from',
    'config get': 'one setting',
    'config set': 'set a setting of the profile',
    'config unset': 'remove a setting from the profile',
    'config path': 'where the config file is',
    'config profile list': 'the profiles',
    'config profile use': 'make a profile the active one',
    'config profile create': 'create a profile',
    'config profile remove': 'remove a profile and its users',
  }),
];
