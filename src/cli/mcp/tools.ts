import { errorTextLimit } from '../args/input.ts';

/** A command that an agent may call, and how much of it. */
export interface CommandTool {
  readonly command: string;
  /** The options of the command that calls may give. */
  readonly options: readonly string[];
  /** An argument whose text is the standard input of the command, for the option that names it `-`. */
  readonly stdin?: {
    readonly name: string;
    readonly option: string;
    readonly most: number;
    readonly description: string;
  };
  /** Fields with what only the user may see; the command prints them on request. */
  readonly hidden?: readonly string[];
  /** Leaves out of its text what went well. */
  readonly isQuiet?: true;
  /** Whether it sends nothing and stores nothing. */
  readonly isReadOnly?: true;
  /** A published schema of its result; else `schemas/tool-1.json`. */
  readonly schema?: string;
}

const mebibyte = 1024 * 1024;
const words = (text: string): readonly string[] => text.split(' ');

/** The option of `verify` that runs the command of the server's start. */
export const signinCommandOption = 'signin';

export const commandTools: readonly CommandTool[] = [
  {
    command: 'verify',
    options: [
      ...words('url clientId timeout cipher check skip failed strict bail seed wait users'),
      ...words('signinUrl authPort patience secretKey ptnCd key superPasscode expireTimeZone'),
    ],
    isQuiet: true,
    schema: 'schemas/verify-1.json',
  },
  {
    command: 'simulate-signup',
    options: [
      ...words('url clientId timeout ptnCd superPasscode email name phone userInfo noUserInfo'),
      ...words('cipher probe noSave dryRun'),
    ],
  },
  { command: 'issue-ptn-token', options: words('ptnCd clientId secretKey'), isReadOnly: true },
  {
    command: 'signin',
    options: [
      ...words('ptnToken authUrl clientId secretKey timeout ptnCd key expectPasscode cipher'),
      'expireTimeZone',
    ],
  },
  {
    command: 'key unwrap',
    options: words('encPartnerKey privateKey privateKeyPassword ptnCd clientId'),
    hidden: ['key'],
    isReadOnly: true,
  },
  {
    command: 'cipher identify',
    options: words('payload morePayloads key ptnCd knownPlaintext as'),
    hidden: ['plaintext', 'plaintext_base64'],
    isReadOnly: true,
  },
  {
    command: 'cipher probe',
    options: words('url clientId timeout cipher limit userInfo noUserInfo'),
  },
  {
    command: 'explain',
    options: ['cipher'],
    stdin: {
      name: 'code',
      option: 'words',
      most: errorTextLimit.usual,
      description:
        'a code, check, field or status, or the error text of a library; all codes are listed without it',
    },
    isReadOnly: true,
  },
  {
    command: 'analyze',
    options: words('files privateKey privateKeyPassword key cipher expireTimeZone'),
    stdin: {
      name: 'text',
      option: 'files',
      most: 4 * mebibyte,
      description:
        'the captured traffic itself: a recording, an HTTP archive, a log or single bodies',
    },
    isReadOnly: true,
  },
];

/** `simulate_signup` of `simulate-signup`. */
export function toolName(command: string): string {
  return command.replace(/[ -]/g, '_');
}
