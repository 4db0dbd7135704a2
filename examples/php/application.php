<?php

// The two callbacks and the sign-in with PHP's openssl functions.

declare(strict_types=1);

// What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
define('CLIENT_ID', getenv('CLIENT_ID') ?: 'authcli-client');
define('SECRET_KEY', getenv('SECRET_KEY') ?: 'authcli-emulated-secret');
define('AUTH_URL', getenv('AUTH_URL') ?: 'http://127.0.0.1:8081');
define('DATA', getenv('DATA') ?: sys_get_temp_dir() . '/authcli-example-users');

/** PHP forgets everything between requests. Yours are in a database, their keys encrypted. */
function userFile(string $ptnCd): string
{
    return DATA . '/' . hash('sha256', $ptnCd) . '.json';
}

function saveUser(string $ptnCd, array $user): void
{
    $new = tempnam(DATA, 'user');
    file_put_contents($new, json_encode($user));
    rename($new, userFile($ptnCd)); // at once: nobody reads half a file
}

/** Until the file is closed, one callback at a time: a registration must not bring back the key before a new one. */
function lockUsers()
{
    is_dir(DATA) || @mkdir(DATA, 0700, true);
    $lock = fopen(DATA . '/lock', 'c');
    flock($lock, LOCK_EX);
    return $lock;
}

function loadUser(string $ptnCd): array
{
    is_file(userFile($ptnCd)) || throw new RuntimeException('unknown user');
    return json_decode(file_get_contents(userFile($ptnCd)), true);
}

function required(array $fields, string $name): string
{
    $value = $fields[$name] ?? null;
    return is_string($value) && $value !== '' ? $value : throw new RuntimeException("$name is missing");
}

function wrapKey(string $key, string $publicKey): string
{
    $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split($publicKey, 64, "\n") . "-----END PUBLIC KEY-----\n";
    $rsa = openssl_pkey_get_public($pem);
    if ($rsa === false || !openssl_public_encrypt($key, $wrapped, $rsa, OPENSSL_PKCS1_PADDING)) {
        throw new RuntimeException('public_key can not be used');
    }
    return base64_encode($wrapped);
}

/** AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext. */
function decrypt(string $payload, string $key): string
{
    $raw = base64_decode($payload, true);
    if ($raw === false || strlen($raw) < 32) {
        throw new RuntimeException('not encrypted');
    }
    $plain = openssl_decrypt(substr($raw, 16), 'aes-256-cbc', $key, OPENSSL_RAW_DATA, substr($raw, 0, 16));
    // A wrong key may decrypt by chance, to bytes that are not text.
    if ($plain === false || preg_match('//u', $plain) !== 1) {
        throw new RuntimeException('can not be decrypted');
    }
    return $plain;
}

function exchangeKey(array $fields): array
{
    $key = bin2hex(random_bytes(16)); // 16 random bytes are 32 characters
    $wrapped = wrapKey($key, required($fields, 'public_key'));
    saveUser(required($fields, 'ptn_cd'), ['key' => $key]);
    return ['code' => '0000', 'message' => '', 'result' => ['enc_partner_key' => $wrapped]];
}

function register(array $fields): array
{
    $ptnCd = required($fields, 'ptn_cd');
    $user = ['key' => loadUser($ptnCd)['key']];
    $user['passcode'] = decrypt(required($fields, 'partner_sp'), $user['key']);
    if (isset($fields['ubifill'])) {
        $user['info'] = json_decode(decrypt(required($fields, 'ubifill'), $user['key']), true);
    }
    saveUser($ptnCd, $user);
    return ['code' => '0000', 'message' => ''];
}

function callback(array $fields): array
{
    required($fields, 'client_id') === CLIENT_ID || throw new RuntimeException('unknown client_id');
    $lock = lockUsers();
    return match (required($fields, 'used_type')) {
        '1' => exchangeKey($fields),
        '2' => register($fields),
        default => throw new RuntimeException('unknown used_type'),
    };
}

/** Calls one of the service's endpoints; throws for any code but "0000". */
function call(string $path, array $fields): array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => 'Content-type: application/json;charset=utf-8',
        'content' => json_encode(['client_id' => CLIENT_ID, 'secret_key' => SECRET_KEY] + $fields),
        'follow_location' => 0, // the secret goes to {auth_url} alone
        'timeout' => 10,
        'ignore_errors' => true,
    ]]);
    $response = json_decode(file_get_contents(AUTH_URL . $path, false, $context) ?: '', true);
    if (($response['code'] ?? null) !== '0000') {
        throw new RuntimeException($path . ': ' . ($response['code'] ?? 'no response'));
    }
    return $response['result'];
}

function signIn(array $fields): array
{
    $token = call('/process/token', ['ptn_token' => required($fields, 'ptn_token')]);
    $user = loadUser($token['ptn_cd']);
    $ptnSp = call('/process/authenticate', ['acs_token' => $token['acs_token']])['ptn_sp'];
    if (!hash_equals(required($user, 'passcode'), decrypt($ptnSp, $user['key']))) {
        throw new RuntimeException('another passcode');
    }
    return ['ptn_cd' => $token['ptn_cd']];
}

[$handle, $status, $refusal] = match (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    '/callback' => ['callback', 400, ['code' => '9000', 'message' => 'refused']],
    '/sign-in' => ['signIn', 401, ['error' => 'not signed in']],
    default => [fn () => throw new RuntimeException('unknown path'), 404, ['error' => 'not found']],
};
try {
    $fields = json_decode(file_get_contents('php://input'), true);
    $response = $handle(is_array($fields) ? $fields : []);
} catch (RuntimeException $e) {
    error_log($e->getMessage()); // why goes to the log alone
    http_response_code($status);
    $response = $refusal;
}
header('Content-Type: application/json;charset=utf-8');
echo json_encode($response);
