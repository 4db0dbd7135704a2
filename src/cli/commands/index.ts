import type { CommandEntry } from '../command.ts';

/**
 * Every command, in the order of the help. The summaries stand here so that the list can be shown
 * without loading a command; each is loaded only when it is called.
 */
export const commands: readonly CommandEntry[] = [
  {
    path: 'demo',
    summary: 'a sign-up and a sign-in through both emulators, explained step by step',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    path: 'init',
    summary: 'set up a profile by questions',
    load: async () => (await import('./init.ts')).init,
  },
  {
    path: 'simulate-signup',
    summary: 'play the service: key exchange, then registration complete',
    load: async () => (await import('./simulate-signup.ts')).simulateSignup,
  },
  {
    path: 'simulate-key-exchange',
    summary: 'play the service: only the key-exchange callback',
    load: async () => (await import('./simulate-key-exchange.ts')).simulateKeyExchange,
  },
  {
    path: 'simulate-registration',
    summary: 'play the service: only the registration-complete callback',
    load: async () => (await import('./simulate-registration.ts')).simulateRegistration,
  },
  {
    path: 'signin',
    summary: "play the application's server: token, authenticate, compare the passcode",
    load: async () => (await import('./signin.ts')).signin,
  },
  {
    path: 'token',
    summary: 'exchange a ptn_token for an access token',
    load: async () => (await import('./token.ts')).token,
  },
  {
    path: 'authenticate',
    summary: 'authenticate with an access token',
    load: async () => (await import('./authenticate.ts')).authenticate,
  },
  {
    path: 'key generate',
    summary: 'make a per-user key',
    load: async () => (await import('./key-generate.ts')).keyGenerate,
  },
  {
    path: 'key wrap',
    summary: 'wrap a per-user key with a public key',
    load: async () => (await import('./key-wrap.ts')).keyWrap,
  },
  {
    path: 'key unwrap',
    summary: "open an enc_partner_key, or say why it can't be opened",
    load: async () => (await import('./key-unwrap.ts')).keyUnwrap,
  },
  {
    path: 'key pair',
    summary: 'make an RSA key pair',
    load: async () => (await import('./key-pair.ts')).keyPair,
  },
  {
    path: 'key inspect',
    summary: 'say what a key text is, and what is wrong with it',
    load: async () => (await import('./key-inspect.ts')).keyInspect,
  },
  {
    path: 'encrypt',
    summary: 'encrypt a payload with a per-user key',
    load: async () => (await import('./encrypt.ts')).encrypt,
  },
  {
    path: 'decrypt',
    summary: 'decrypt a partner_sp, ptn_sp or ubifill',
    load: async () => (await import('./decrypt.ts')).decrypt,
  },
  {
    path: 'cipher list',
    summary: 'the ciphers that can be set, and who uses them',
    load: async () => (await import('./cipher-list.ts')).cipherList,
  },
  {
    path: 'cipher identify',
    summary: 'which cipher made this payload',
    load: async () => (await import('./cipher-identify.ts')).cipherIdentify,
  },
  {
    path: 'cipher probe',
    summary: 'which cipher does this application expect',
    load: async () => (await import('./cipher-probe.ts')).cipherProbe,
  },
  {
    path: 'verify',
    summary: 'check a callback endpoint against the interface; the command for CI',
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    path: 'verify-service',
    summary: "check the service's own endpoints against the interface",
    load: async () => (await import('./verify-service.ts')).verifyService,
  },
  {
    path: 'load',
    summary: 'many sign-ups at a set rate or as fast as possible, every key checked',
    load: async () => (await import('./load.ts')).load,
  },
  {
    path: 'load export',
    summary: 'the same load for many machines, run by Artillery',
    load: async () => (await import('./load-export.ts')).loadExport,
  },
  {
    path: 'load import',
    summary: "what came of it: Artillery's report as that of load",
    load: async () => (await import('./load-import.ts')).loadImport,
  },
  {
    path: 'report diff',
    summary: 'compare two runs of verify: what broke, what was mended',
    load: async () => (await import('./report-diff.ts')).reportDiff,
  },
  {
    path: 'explain',
    summary: 'what a code means, how it was seen, and how to mend it',
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    path: 'doctor',
    summary: 'what is wrong with the set-up, or on the way to an endpoint',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    path: 'completion',
    summary: 'a script that completes commands, flags and values in your shell',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    path: 'commands',
    summary: 'every command, with --json all there is to know of each',
    load: async () => (await import('./commands.ts')).commands,
  },
  {
    path: 'emulate app',
    summary: 'run a reference application on loopback',
    load: async () => (await import('./emulate-app.ts')).emulateApp,
  },
  {
    path: 'emulate service',
    summary: "run the service's endpoints on loopback",
    load: async () => (await import('./emulate-service.ts')).emulateService,
  },
  {
    path: 'issue-ptn-token',
    summary: 'stand in for the client library, for the emulated service',
    load: async () => (await import('./issue-ptn-token.ts')).issuePtnToken,
  },
  {
    path: 'users list',
    summary: 'the users whose keys are known here',
    load: async () => (await import('./users-list.ts')).usersList,
  },
  {
    path: 'users show',
    summary: 'what is known of one user',
    load: async () => (await import('./users-show.ts')).usersShow,
  },
  {
    path: 'users import',
    summary: 'take users over from a file',
    load: async () => (await import('./users-import.ts')).usersImport,
  },
  {
    path: 'users export',
    summary: 'write the known users, with their keys',
    load: async () => (await import('./users-export.ts')).usersExport,
  },
  {
    path: 'users remove',
    summary: 'forget a user',
    load: async () => (await import('./users-remove.ts')).usersRemove,
  },
  {
    path: 'config list',
    summary: 'the settings, and where each comes from',
    load: async () => (await import('./config-list.ts')).configList,
  },
  {
    path: 'config get',
    summary: 'one setting',
    load: async () => (await import('./config-get.ts')).configGet,
  },
  {
    path: 'config set',
    summary: 'set a setting of the profile',
    load: async () => (await import('./config-set.ts')).configSet,
  },
  {
    path: 'config unset',
    summary: 'remove a setting from the profile',
    load: async () => (await import('./config-unset.ts')).configUnset,
  },
  {
    path: 'config path',
    summary: 'where the config file is',
    load: async () => (await import('./config-path.ts')).configPath,
  },
  {
    path: 'config profile list',
    summary: 'the profiles',
    load: async () => (await import('./config-profile-list.ts')).configProfileList,
  },
  {
    path: 'config profile use',
    summary: 'make a profile the one in use',
    load: async () => (await import('./config-profile-use.ts')).configProfileUse,
  },
  {
    path: 'config profile create',
    summary: 'make a profile',
    load: async () => (await import('./config-profile-create.ts')).configProfileCreate,
  },
  {
    path: 'config profile remove',
    summary: 'remove a profile and its users',
    load: async () => (await import('./config-profile-remove.ts')).configProfileRemove,
  },
];
