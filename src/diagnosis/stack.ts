import type { Stack } from '../errors.ts';

export type HeaderLines = readonly (readonly [name: string, value: string])[];

type Sign = readonly [stack: Stack, pattern: RegExp];

/** The stack whose traces and error pages look like this text. */
export function stackOfText(text: string): Stack | undefined {
  return first(textSigns, text);
}

/** The stack that the headers of a response name. */
export function stackOfHeaders(headers: HeaderLines): Stack | undefined {
  for (const [name, signs] of Object.entries(headerSigns)) {
    for (const [header, value] of headers) {
      const stack = header.toLowerCase() === name ? first(signs, value) : undefined;
      if (stack !== undefined) return stack;
    }
  }
  return undefined;
}

function first(signs: readonly Sign[], text: string): Stack | undefined {
  return signs.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Frames of stack traces first: they decide, where an exception's name may be quoted by others. */
const textSigns: readonly Sign[] = [
  ['kotlin', /\([\w$]+\.kt:\d+\)|\bkotlin(?:x|\.\w+)*\.\w+Exception|\bio\.ktor\./],
  ['java', /\bat [\w$.<>/]+\((?:[\w$]+\.java:\d+|Native Method|Unknown Source)\)/],
  ['java', /\b(?:javax?|jakarta|org\.springframework|org\.bouncycastle|com\.fasterxml)\.[\w.$]+/],
  ['java', /Whitelabel Error Page|\{"timestamp":[^{}]*"status":\d{3},"error":"|Apache Tomcat\//],
  ['python', /Traceback \(most recent call last\)|File "[^"]{1,300}\.py", line \d+/],
  ['python', /Werkzeug|Server Error \(500\)|\bdjango\.|\{"detail":(?:"|\[\{"(?:type|loc)")/],
  ['python', /the server is overloaded or there is an error in the application/i],
  [
    'csharp',
    /\bSystem\.(?:[A-Z]\w+\.)*\w+Exception|\bin \S.{0,300}\.cs:line \d+|\bMicrosoft\.AspNetCore\./,
  ],
  ['csharp', /"type":"https:\/\/tools\.ietf\.org\/html\/rfc\d+#section-[^{}]*"traceId":/],
  [
    'php',
    /\.php(?: on line |:|\()\d+|PHP (?:Fatal|Warning|Notice|Parse)|\bIlluminate\\|\bSymfony\\/,
  ],
  ['php', /<b>(?:Fatal error|Warning|Notice|Deprecated)<\/b>: /],
  ['ruby', /\.rb:\d+:in [`']|\bOpenSSL::|\bActiveRecord::|\bAction(?:Controller|Dispatch)::/],
  ['go', /\bgoroutine \d+ \[|\.go:\d+\b|^panic: |\bruntime error: |http: panic serving/m],
  [
    'go',
    /^404 page not found\s*$|\bcrypto\/(?:cipher|aes|rsa): |\bcipher: message authentication failed/,
  ],
  ['node', /^\s*at .{0,120}?(?:\.[cm]?[jt]s|node:[\w/]{1,60}):\d+:\d+\)?/m],
  [
    'node',
    /\bERR_(?:OSSL|CRYPTO|INVALID_ARG|ENCODING)_|<pre>Cannot (?:POST|GET) \/|\{"statusCode":\d{3},/,
  ],
];

const headerSigns: Readonly<Record<string, readonly Sign[]>> = {
  'x-powered-by': [
    ['php', /\bPHP\b/i],
    ['node', /^(?:Express|Next\.js|Nuxt|Sails|Koa|Fastify|hapi|NestJS|actionhero)/i],
    ['java', /\b(?:Servlet|JSP|JSF|Undertow|Tomcat|JBoss|Spring)\b/i],
    ['csharp', /^ASP\.NET/i],
  ],
  server: [
    ['php', /\bPHP\/\d/i],
    [
      'python',
      /\b(?:Werkzeug|gunicorn|uvicorn|hypercorn|daphne|waitress|CherryPy|WSGIServer|TornadoServer|Twisted|C?Python|mod_wsgi)\b/i,
    ],
    ['ruby', /\b(?:WEBrick|Puma|Unicorn|thin|Mongrel|Ruby)\b/i],
    ['kotlin', /^Ktor\b/i],
    [
      'java',
      /\b(?:Jetty|Apache-Coyote|Tomcat|Undertow|WildFly|JBoss|GlassFish|WebLogic|WebSphere|Payara|Micronaut|Netty)\b/i,
    ],
    ['csharp', /\bKestrel\b|Microsoft-HTTPAPI/i],
    ['go', /^(?:fasthttp|beegoServer)\b/i],
  ],
  'x-aspnet-version': [['csharp', /./]],
  'x-aspnetmvc-version': [['csharp', /./]],
  'x-application-context': [['java', /./]],
  'x-runtime': [['ruby', /^\d+\.\d+$/]],
  'set-cookie': [
    ['java', /^JSESSIONID=/],
    ['php', /^(?:PHPSESSID|laravel_session)=/],
    ['node', /^connect\.sid=/],
    ['csharp', /^(?:ASP\.NET_SessionId|\.AspNetCore\.)/],
    ['python', /^csrftoken=/],
  ],
};
