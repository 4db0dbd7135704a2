import { hintOfStatus } from '../../diagnosis/response.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { capitalised } from '../../text.ts';
import { exitStatusMeanings } from '../exit-status.ts';
import { type Causes, causeTexts, testCommands } from './tests.ts';

const { doctor, trace, probe, load } = testCommands;
const keyExchange = testCommands['key-exchange'];
const signUp = 'authcli simulate-signup --url URL';
const bigBody = 'authcli simulate-signup --url URL --no-user-info';

const redirects: Causes = [
  ['The URL should begin with https://, or with another host.', doctor],
  ['The path lacks a slash at its end, or has one too many.', doctor],
  ['A login covers the path.', trace],
];
const gateway: Causes = [
  [
    'The application behind the proxy is not running or is starting.',
    `${signUp.replace('simulate-signup', 'verify')} --wait 60s`,
  ],
  ['The proxy forwards to another port.', doctor],
  ['The handler takes longer than the proxy waits, or crashed.', load],
];

const statuses: Readonly<Record<number, readonly [title: string, causes: Causes]>> = {
  200: [
    'OK: the body decides',
    [
      ['Code "0000" in the body is success.', keyExchange],
      ['Another code is a refusal, even with status 200.', signUp],
      ['HTML with status 200: the URL leads to a web page.', doctor],
    ],
  ],
  204: [
    'No Content: the response has no body',
    [
      ['The handler returns nothing.', trace],
      ['A framework maps null to 204.', trace],
      ['Only one of the two callbacks returns JSON.', keyExchange],
    ],
  ],
  301: ['Moved Permanently: the response is a redirect', redirects],
  302: ['Found: the response is a redirect', redirects],
  303: ['See Other: the response is a redirect', redirects],
  307: ['Temporary Redirect: the response is a redirect', redirects],
  308: ['Permanent Redirect: the response is a redirect', redirects],
  400: [
    'Bad Request: the framework or the handler refused the request',
    [
      ['A field that the model requires is absent, or has another name.', testCommands['dry-run']],
      ['The body could not be parsed: charset, Content-Type or a consumed stream.', keyExchange],
      ['The Host header is not in the list of allowed hosts.', doctor],
    ],
  ],
  401: [
    'Unauthorized: something in front requires a login',
    [
      ['The login of the framework covers the path.', doctor],
      [
        'A gateway expects an API key or basic authentication.',
        `${keyExchange} --header 'Authorization: …'`,
      ],
      ['The handler itself checks a signature or token.', trace],
    ],
  ],
  403: [
    'Forbidden: something in front refuses',
    [
      ['CSRF protection covers the path.', doctor],
      ['A filter allows only certain IP addresses.', doctor],
      [
        'A web application firewall rejects Base64 or the user agent.',
        `${keyExchange} --header 'User-Agent: service'`,
      ],
    ],
  ],
  404: [
    'Not Found: nothing is mounted at this path',
    [
      ['The path of the URL is not the route: check prefix and spelling.', doctor],
      ['The application or the port is another one.', doctor.replace('doctor', 'doctor --verbose')],
      ['The handler itself returns 404, for example for an unknown user.', trace],
    ],
  ],
  405: [
    'Method Not Allowed: the route does not accept POST',
    [
      ['The route is registered for GET only.', keyExchange],
      ['A redirect or proxy turned the request into another route.', doctor],
      ['The path is that of a static page.', trace],
    ],
  ],
  406: [
    'Not Acceptable: the framework cannot write the response',
    [
      ['The handler produces another type than JSON.', trace],
      ['The serialiser for JSON is missing.', keyExchange],
      [
        'The Accept header is evaluated too strictly.',
        `${keyExchange} --header 'Accept: application/json'`,
      ],
    ],
  ],
  413: [
    'Content Too Large: a limit is below the size of a callback',
    [
      ['A proxy limits bodies (nginx client_max_body_size).', bigBody],
      ['The body parser of the framework has a limit.', bigBody],
      ['A public key of 4096 bits exceeds it.', `${keyExchange} --key-bits 4096`],
    ],
  ],
  415: [
    'Unsupported Media Type: the handler does not accept the Content-Type',
    [
      ['The handler accepts form data only.', trace],
      [
        'It compares with application/json without charset.',
        `${keyExchange} --header 'Content-Type: application/json'`,
      ],
      ['The JSON body parser is not installed.', keyExchange],
    ],
  ],
  419: [
    'Page Expired: CSRF protection of Laravel',
    [
      ['The route is in the group "web" instead of "api".', keyExchange],
      ['The path is not in the exceptions of the CSRF check.', doctor],
      ['A login covers the path.', trace],
    ],
  ],
  422: [
    'Unprocessable Content: the framework refused the fields',
    [
      ['A model requires fields of the other callback.', keyExchange],
      ['ubifill is required.', bigBody],
      ['Unknown fields are refused.', testCommands['unknown-fields']],
    ],
  ],
  429: [
    'Too Many Requests: something limits the rate',
    [
      ['A gateway limits requests per address.', load],
      ['The framework throttles the route.', `${load} --rate 1`],
      ['Earlier runs have used up the quota.', keyExchange],
    ],
  ],
  500: [
    'Internal Server Error: the application failed',
    [
      ['It failed to decrypt: another cipher or key.', probe],
      ['The key of the user was not found, or a field is null.', testCommands['same-user']],
      ['A database or other server of its own failed.', keyExchange],
    ],
  ],
  502: ['Bad Gateway: the proxy got no valid response from the application', gateway],
  503: ['Service Unavailable: no application is behind the proxy', gateway],
  504: ['Gateway Timeout: the application took too long for the proxy', gateway],
};

const readBody = 'Read code and message in the body.';
const registerResponder =
  'Register the URL that responds itself: https instead of http, with or without the final slash.';

/** HTTP statuses of a callback, by their number. */
export const statusExplanations: readonly Explanation[] = Object.entries(statuses).map(
  ([status, [title, causes]]) => ({
    code: status,
    kind: 'HTTP status',
    title,
    meaning:
      'The interface specifies no HTTP statuses (section 4): the body decides. A status without a JSON body mostly comes from a framework or proxy, not from the handler.',
    fix: hintOfStatus(Number(status)) ?? (status === '200' ? readBody : registerResponder),
    causes: causeTexts(causes),
  }),
);

interface ExitStatus {
  readonly meaning: string;
  readonly fix: string;
  /** Where a command tells them apart. */
  readonly causes?: Causes;
}

const exits: Readonly<Record<number, ExitStatus>> = {
  0: {
    meaning:
      'Everything that was requested was done. A warning is not a failure, unless with --strict.',
    fix: 'Nothing to fix.',
  },
  1: {
    meaning:
      "The application or the service refused or failed, a response is wrong, a key can't be decrypted, or a check failed.",
    fix: 'Read cause and fix on standard error; with --json they are in `error`.',
  },
  2: {
    meaning: 'A flag, an argument or a setting is missing, unknown or invalid. Nothing was sent.',
    fix: 'The message names the flag or setting.',
    causes: [
      ['A flag or value is misspelt or missing.', 'authcli COMMAND --help'],
      ['A setting or environment variable has an invalid value.', 'authcli config list --origin'],
      ['A reference such as env:NAME leads nowhere.', 'authcli doctor'],
    ],
  },
  3: {
    meaning: 'No response arrived: DNS, a refused connection, TLS, a proxy or a time limit.',
    fix: 'Start the server, or correct the URL, certificate or proxy that the message names.',
    causes: [
      ['Nothing listens at that address.', doctor],
      ['The certificate is not trusted, or TLS is not spoken there.', doctor],
      ['It took longer than --timeout.', `${signUp} --timeout 60s`],
    ],
  },
  4: {
    meaning: 'Settings and users are in files of the config folder, and one of them is unusable.',
    fix: 'Run `authcli doctor`; it names the file.',
    causes: [
      ['A file is damaged or has been edited by hand.', 'authcli doctor'],
      ['The file belongs to another user, or the disk is full.', 'authcli config path'],
      ['Another process has locked the file.', 'authcli doctor'],
    ],
  },
  70: {
    meaning: 'It says nothing about your application.',
    fix: 'Run the same command with --verbose and report the bug.',
  },
  130: {
    meaning: 'The run did not finish; reports were still written.',
    fix: 'Run it again. If it seemed to hang, --trace shows what it waited for.',
  },
  143: {
    meaning:
      'Another process stopped the run, such as a CI job at its time limit; reports were still written.',
    fix: 'Run it again with more time.',
  },
};

/** The exit statuses of authcli, by their number. */
export const exitExplanations: readonly Explanation[] = exitStatusMeanings.map(
  ([status, title]) => {
    const { meaning, fix, causes } = exits[status] ?? { meaning: '', fix: '' };
    return {
      code: String(status),
      kind: 'exit status',
      title: capitalised(title),
      meaning,
      fix,
      ...(causes && { causes: causeTexts(causes) }),
    };
  },
);
