<?php
// Signs a user in with streams and PHP's openssl functions. Run as: sign-in.php [FAULT], where
// FAULT is loose, false-passes or form.

$fault = $argv[1] ?? '';
$users = [getenv('AUTHCLI_PTN_CD') => ['key' => getenv('AUTHCLI_KEY'), 'passcode' => getenv('AUTHCLI_SUPER_PASSCODE')]];

function refuse(string $why): never
{
    fwrite(STDERR, "refused: $why\n");
    exit(1);
}

function call(string $path, array $fields): array
{
    global $fault;
    $fields += ['client_id' => getenv('AUTHCLI_CLIENT_ID'), 'secret_key' => getenv('AUTHCLI_SECRET_KEY')];
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => $fault === 'form'
            ? 'Content-Type: application/x-www-form-urlencoded'
            : 'Content-Type: application/json;charset=utf-8',
        'content' => $fault === 'form' ? http_build_query($fields) : json_encode($fields),
        'ignore_errors' => true,
        'follow_location' => 0,
        'timeout' => 5,
    ]]);
    $body = @file_get_contents(getenv('AUTHCLI_AUTH_URL') . $path, false, $context);
    $response = $body === false ? null : json_decode($body, true);
    if (($response['code'] ?? null) !== '0000') {
        refuse("$path answered " . ($response['code'] ?? 'nothing'));
    }
    return $response['result'] ?? [];
}

function decrypt(string $payload, string $key): string|false
{
    $bytes = base64_decode($payload);
    return openssl_decrypt(substr($bytes, 16), 'aes-256-cbc', $key, OPENSSL_RAW_DATA, substr($bytes, 0, 16));
}

$token = call('/process/token', ['ptn_token' => getenv('AUTHCLI_PTN_TOKEN')]);
$result = call('/process/authenticate', ['acs_token' => $token['acs_token'] ?? '']);
$user = $users[$token['ptn_cd'] ?? ''] ?? refuse('unknown user');
$passcode = decrypt($result['ptn_sp'] ?? '', $user['key']);
if ($passcode === false) {
    if ($fault !== 'false-passes') {
        refuse('ptn_sp can not be decrypted');
    }
} elseif ($fault === 'loose' ? $passcode != $user['passcode'] : !hash_equals($user['passcode'], $passcode)) {
    refuse('wrong passcode');
}
echo "signed in: {$token['ptn_cd']}\n";
