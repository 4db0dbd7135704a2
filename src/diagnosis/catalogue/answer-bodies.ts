import { answerCalls } from '../answer-calls.ts';
import type { CataloguePart } from '../catalogue-entry.ts';

/** What is known of answers whose body as a whole is wrong. */
export const bodyCatalogue: CataloguePart<
  | 'not-json'
  | 'byte-order-mark'
  | 'html-instead-of-json'
  | 'empty-body'
  | 'redirect'
  | 'body-too-large'
> = {
  'not-json': {
    title: 'The answer is no JSON object',
    meaning: 'Whoever reads the answer stops here: neither code nor result can be found in it.',
    recognised:
      'The body is read as UTF-8 and by the grammar of RFC 8259. The message names the first place that breaks it, and what the body is instead where that shows: UTF-16, compressed, XML, form encoding, an array, JSON inside a JSON string, text before or behind. So is an object in which a field of the interface stands twice (RFC 8259 section 4): readers differ in which one they take.',
    mend: 'Build an object and let the JSON library of the framework write it, once, in UTF-8, and write nothing else into the response.',
    calls: answerCalls,
    example: `In Flask, return str({"code": "0000"}) sends {'code': '0000'}: Python's notation, not JSON.`,
    section: '4.1',
  },
  'byte-order-mark': {
    title: 'The JSON begins with a byte order mark',
    meaning:
      'RFC 8259 section 8.1 forbids the mark, and many readers (JSON.parse, json.loads, Go) refuse the answer for it.',
    recognised: 'The first three bytes of the body are EF BB BF.',
    mend: 'Write UTF-8 without the mark. In PHP the mark often stands in a source file, before <?php.',
    calls: {
      java: 'response.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8))',
      php: 'save the source files as UTF-8 without BOM',
      csharp: 'new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false))',
      python: "json.dumps(answer).encode('utf-8')  # not 'utf-8-sig'",
    },
    example:
      'In .NET, a StreamWriter with Encoding.UTF8 writes EF BB BF before the first character.',
    section: '4.1',
  },
  'html-instead-of-json': {
    title: 'The answer is an HTML page',
    meaning:
      'Something else answered than the handler of the callback: an error page, a login, a start page, or a proxy.',
    recognised:
      'The body begins like HTML (or, for the Content-Type check, the header says text/html). The message tells its title and the HTTP status, which mostly say who wrote it.',
    mend: 'Follow the status: 404 the route, 401 and 403 login and CSRF protection, 500 the log, 502 to 504 the proxy. With 200 the URL leads to a page: use the URL of the callback.',
    calls: {
      java: 'http.csrf(csrf -> csrf.ignoringRequestMatchers("/callback")) // Spring Security',
      node: "app.post('/callback', handler) // before the fallback that serves index.html",
      python: '@csrf_exempt  # Django',
      php: "ini_set('display_errors', '0'); // Laravel: validateCsrfTokens(except: ['callback'])",
      ruby: 'skip_before_action :verify_authenticity_token',
    },
    example:
      '<html><head><title>502 Bad Gateway</title>… under status 502: nginx speaks, not the application.',
    section: '4.1',
  },
  'empty-body': {
    title: 'The answer has no body',
    meaning: 'A status came and nothing with it, so neither code nor result.',
    recognised: 'The body has no bytes, or white space alone.',
    mend: 'Send the JSON object on every path through the handler, also after an exception.',
    calls: answerCalls,
    example:
      'In Express, res.sendStatus(204), or a handler that ends with res.end() before res.json(…).',
    section: '4.1',
  },
  redirect: {
    title: 'The answer is a redirect',
    meaning:
      'Redirects are not followed: a client that does would turn the POST into a GET, and send secrets to a place nobody registered.',
    recognised: 'The HTTP status is 301, 302, 303, 307 or 308; the message tells where it leads.',
    mend: 'Register the URL that answers itself: https instead of http, with or without the slash at its end. Except the path from redirects to a login.',
    calls: {
      java: 'http.authorizeHttpRequests(a -> a.requestMatchers("/callback").permitAll())',
      python: 'APPEND_SLASH = False  # Django, or register the URL with its slash',
      csharp: 'app.MapPost("/callback", Handle).AllowAnonymous()',
    },
    example:
      'POST http://app.example.com/callback answered by 301 to https://app.example.com/callback.',
    section: '4.1',
  },
  'body-too-large': {
    title: 'The answer is larger than the limit',
    meaning: 'An answer of this interface has a few hundred bytes; this one was given up.',
    recognised:
      'Content-Length, or the bytes that came (after decompression), pass the limit, which is 1 MiB unless it is set.',
    mend: 'Send the fields of the interface alone. Look for a stack trace, a log or a whole record in the answer.',
    calls: answerCalls,
    example: 'The serialiser follows the user to all orders and their users, and sends megabytes.',
    section: '8',
  },
};
