<?php
declare(strict_types=1);
error_reporting(E_ALL);
set_error_handler(function (int $n, string $m) { throw new ErrorException($m); });
$key = '0123456789abcdef0123456789abcdef';
function of(string $situation, callable $mistake): void {
    while (openssl_error_string()) {}
    try { $r = $mistake(); $e = openssl_error_string(); echo "$situation\t", $e === false ? 'NOTHING ' . json_encode($r) : $e, "\n"; }
    catch (Throwable $e) { echo "$situation\t", get_class($e), ': ', str_replace("\n", '\n', $e->getMessage()), "\n"; }
}
$b = str_repeat("\0", 32);
of('padding-refused', fn () => openssl_decrypt($b, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, str_repeat("\0", 16)));
of('block-length', fn () => openssl_decrypt(substr($b, 0, 20), 'aes-256-cbc', $key, OPENSSL_RAW_DATA, str_repeat("\0", 16)));
of('iv-bytes', fn () => openssl_decrypt($b, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, str_repeat("\0", 8)));
of('iv-bytes', fn () => openssl_decrypt($b, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, str_repeat("\0", 32)));
of('iv-missing', fn () => openssl_encrypt($b, 'aes-256-cbc', $key, OPENSSL_RAW_DATA));
of('iv-unwanted', fn () => openssl_decrypt($b, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, str_repeat("\0", 16), str_repeat("\0", 16)));
of('iv-bytes', fn () => openssl_decrypt($b, 'aes-256-gcm', $key, OPENSSL_RAW_DATA, '', str_repeat("\0", 16)));
of('cipher-name', fn () => openssl_decrypt($b, 'AES/CBC/PKCS5Padding', $key, OPENSSL_RAW_DATA, ''));
of('not-hex-text', fn () => hex2bin('abc'));
of('not-text', fn () => json_encode("\xc3\x28", JSON_THROW_ON_ERROR));
of('not-text', fn () => iconv('UTF-8', 'EUC-KR', "\xc3\x28"));
of('not-json-text', fn () => json_decode('x', true, 512, JSON_THROW_ON_ERROR));
of('not-json-text', fn () => json_decode("{\"a\":\"\x01\"}", true, 512, JSON_THROW_ON_ERROR));
of('field-absent', fn () => []['ubifill']);
of('value-missing', fn () => null['ubifill']);
of('value-missing', function () { $u = null; return $u->key; });
of('value-missing', function () { $u = null; return $u->key(); });
of('value-missing', fn () => base64_decode(null));
of('public-key-unreadable', fn () => openssl_public_encrypt('a', $out, 'MIIBIjAN'));
of('public-key-unreadable', fn () => openssl_pkey_get_public("-----BEGIN PUBLIC KEY-----\nMIIBIjAN\n-----END PUBLIC KEY-----"));
$k = openssl_pkey_new(['private_key_bits' => 2048]);
of('rsa-failed', fn () => openssl_private_decrypt(str_repeat("\1", 256), $out, $k, OPENSSL_PKCS1_OAEP_PADDING));
of('rsa-failed', fn () => openssl_private_decrypt(str_repeat("\1", 256), $out, $k));
of('text-for-bytes', fn () => strlen(5));
