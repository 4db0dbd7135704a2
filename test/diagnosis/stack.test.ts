import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { recogniseStack } from '../../src/diagnosis/error-text.ts';
import type { Stack } from '../../src/errors.ts';

const nothing = encodeUtf8('{"code":"0000","message":"","result":{}}');

it('is recognised by the headers of a response', () => {
  const rows: readonly (readonly [Stack | undefined, string, string])[] = [
    ['node', 'X-Powered-By', 'Express'],
    ['php', 'x-powered-by', 'PHP/8.2.36'],
    ['php', 'Server', 'Apache/2.4.62 (Debian) PHP/8.1.2'],
    ['csharp', 'Server', 'Kestrel'],
    ['csharp', 'X-Powered-By', 'ASP.NET'],
    ['python', 'Server', 'BaseHTTP/0.6 Python/3.11.7'],
    ['ruby', 'Server', 'WEBrick/1.8.1 (Ruby/3.2.2/2023-03-30)'],
    ['java', 'Server', 'Apache-Coyote/1.1'],
    ['java', 'Set-Cookie', 'JSESSIONID=0123; Path=/; HttpOnly'],
    ['kotlin', 'Server', 'Ktor/2.3.7'],
    ['go', 'Server', 'fasthttp'],
    [undefined, 'Server', 'nginx/1.25.3'],
    [undefined, 'Content-Type', 'application/json'],
  ];
  for (const [stack, ...header] of rows) {
    assert.equal(recogniseStack([['Date', 'x'], header], nothing), stack, header.join(': '));
  }
});

it('is recognised by the body of a response', () => {
  const rows: readonly (readonly [Stack | undefined, string])[] = [
    ['java', 'javax.crypto.BadPaddingException: Given final block not properly padded'],
    ['java', '\tat com.example.Callback.register(Callback.java:42)'],
    ['java', '{"timestamp":"2026-07-01T12:00:00.000+00:00","status":500,"error":"Internal"}'],
    ['kotlin', 'javax.crypto.AEADBadTagException\n\tat com.example.CallbackKt.a(Callback.kt:42)'],
    ['node', '<pre>Error: bad\n    at Decipheriv.final (node:internal/crypto/cipher:193:29)'],
    ['node', '    at register (/srv/app/index.mjs:31:15)'],
    ['node', '<pre>Cannot POST /callback</pre>'],
    ['python', '  File "/srv/app.py", line 31, in callback'],
    ['python', '{"detail":[{"type":"missing","loc":["body","ubifill"]}]}'],
    ['php', '<br />\n<b>Warning</b>:  openssl_decrypt(): IV passed is only 8 bytes long'],
    ['php', 'PHP Fatal error:  Uncaught TypeError in /srv/callback.php:12'],
    ['csharp', 'System.Security.Cryptography.CryptographicException: Padding is invalid'],
    ['csharp', '   at App.Callback.Register(String body) in /src/Callback.cs:line 31'],
    ['go', 'panic: runtime error: invalid memory address or nil pointer dereference'],
    ['go', '404 page not found\n'],
    ['ruby', "callback.rb:12:in `final': bad decrypt (OpenSSL::Cipher::CipherError)"],
    [undefined, '<html><head><title>502 Bad Gateway</title></head></html>'],
    [undefined, '{"code":"9999","message":"internal error"}'],
  ];
  for (const [stack, text] of rows) {
    assert.equal(recogniseStack([['Server', 'nginx']], encodeUtf8(text)), stack, text);
  }
});

it('is rather that of an error text than of a header, which a proxy may have written', () => {
  const body = encodeUtf8('javax.crypto.AEADBadTagException: Tag mismatch!');
  assert.equal(recogniseStack([['X-Powered-By', 'ASP.NET']], body), 'java');
});
