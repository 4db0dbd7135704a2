<?php

// A callback endpoint with PHP's openssl functions. Run as:
//   CALLBACK_DATA=FOLDER CALLBACK_FAULT=FAULT php -S 127.0.0.1:PORT callback.php
// where FAULT is bin2hex, one-key or numeric-check, or not set.

declare(strict_types=1);

const CLIENT_ID = 'my-shop';

function fault(string $name): bool
{
    return getenv('CALLBACK_FAULT') === $name;
}

function userFile(string $ptnCd): string
{
    return getenv('CALLBACK_DATA') . '/' . hash('sha256', $ptnCd) . '.json';
}

function saveUser(string $ptnCd, array $user): void
{
    file_put_contents(userFile($ptnCd), json_encode($user), LOCK_EX);
}

function loadUser(string $ptnCd): array
{
    if (!is_file(userFile($ptnCd))) {
        throw new RuntimeException('unknown user');
    }
    return json_decode(file_get_contents(userFile($ptnCd)), true);
}

function required(array $request, string $name): string
{
    if (!isset($request[$name]) || !is_string($request[$name]) || $request[$name] === '') {
        throw new RuntimeException("$name is missing");
    }
    return $request[$name];
}

function newKey(): string
{
    return fault('one-key') ? md5(CLIENT_ID) : bin2hex(random_bytes(16));
}

function wrapKey(string $key, string $publicKey): string
{
    $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split($publicKey, 64, "\n") . "-----END PUBLIC KEY-----\n";
    $rsa = openssl_pkey_get_public($pem);
    if ($rsa === false || !openssl_public_encrypt($key, $wrapped, $rsa, OPENSSL_PKCS1_PADDING)) {
        throw new RuntimeException('public_key can not be used');
    }
    return fault('bin2hex') ? bin2hex($wrapped) : base64_encode($wrapped);
}

function decrypt(string $payload, string $key): string
{
    $raw = base64_decode($payload, true);
    if ($raw === false || strlen($raw) < 32) {
        throw new RuntimeException('not encrypted');
    }
    $plain = openssl_decrypt(substr($raw, 16), 'aes-256-cbc', $key, OPENSSL_RAW_DATA, substr($raw, 0, 16));
    if ($plain === false) {
        throw new RuntimeException('can not be decrypted');
    }
    return $plain;
}

function exchangeKey(array $request): array
{
    $key = newKey();
    $wrapped = wrapKey($key, required($request, 'public_key'));
    saveUser(required($request, 'ptn_cd'), ['key' => $key]);
    return ['code' => '0000', 'message' => '', 'result' => ['enc_partner_key' => $wrapped]];
}

function register(array $request): array
{
    $ptnCd = required($request, 'ptn_cd');
    $user = loadUser($ptnCd);
    $user['passcode'] = decrypt(required($request, 'partner_sp'), $user['key']);
    if (isset($request['ubifill'])) {
        $user['info'] = json_decode(decrypt($request['ubifill'], $user['key']), true);
    }
    saveUser($ptnCd, $user);
    return ['code' => '0000', 'message' => ''];
}

function answer(string $body): array
{
    $request = json_decode($body, true);
    if (!is_array($request) || required($request, 'client_id') !== CLIENT_ID) {
        throw new RuntimeException('not a request for this client');
    }
    return match (required($request, 'used_type')) {
        '1' => exchangeKey($request),
        '2' => register($request),
        default => throw new RuntimeException('unknown used_type'),
    };
}

try {
    $answer = answer(file_get_contents('php://input'));
} catch (RuntimeException $e) {
    $answer = ['code' => 'E100', 'message' => $e->getMessage()];
}
header('Content-Type: application/json;charset=utf-8');
echo json_encode($answer, fault('numeric-check') ? JSON_NUMERIC_CHECK : 0);
