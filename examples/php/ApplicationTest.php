<?php

// Tests of the application with PHPUnit. authcli plays the service: it is started here, and ended.

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

final class ApplicationTest extends TestCase
{
    private static string $folder;
    /** @var resource[] */
    private static array $processes = [];
    private static string $service;
    private static string $application;

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/application-test-' . bin2hex(random_bytes(4));
        mkdir(self::$folder, 0700);
        self::$service = self::start([...self::authcli(), 'emulate', 'service', '--json']);
        putenv('AUTH_URL=' . self::$service);
        putenv('DATA=' . self::$folder . '/users');
        self::$application = self::start([PHP_BINARY, '-S', '127.0.0.1:0', __DIR__ . '/application.php']);
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$processes as $process) {
            proc_terminate($process);
            proc_close($process);
        }
        exec('rm -r ' . escapeshellarg(self::$folder));
    }

    public function testCallbacksConform(): void
    {
        $verify = [...self::authcli(), 'verify', '--url', self::$application . '/callback'];
        exec(implode(' ', array_map('escapeshellarg', $verify)) . ' 2>&1', $printed, $status);
        $this->assertSame(0, $status, implode("\n", $printed));
    }

    public function testSignsInWithOneCallToEachEndpoint(): void
    {
        $this->signUp('alice');
        $this->assertSame([200, ['ptn_cd' => 'alice']], $this->signIn('alice'));
        $this->assertSame(['token 0000', 'authenticate 0000'], $this->calls('alice'));
    }

    public function testRefusesAnotherPasscode(): void
    {
        $this->signUp('bob');
        $this->send('POST', self::$service . '/_authcli/faults', ['name' => 'wrong-passcode', 'ptn_cd' => 'bob']);
        [$status] = $this->signIn('bob');
        $this->assertSame(401, $status);
    }

    private function signUp(string $ptnCd): void
    {
        $fields = ['ptn_cd' => $ptnCd, 'callback_url' => self::$application . '/callback'];
        [$status, $response] = $this->send('POST', self::$service . '/_authcli/signup', $fields);
        $this->assertSame(200, $status, json_encode($response));
    }

    /** Asks the application to sign the user in, with a token like one of the user's device. */
    private function signIn(string $ptnCd): array
    {
        [, $token] = $this->send('POST', self::$service . '/_authcli/ptn-token', ['ptn_cd' => $ptnCd]);
        return $this->send('POST', self::$application . '/sign-in', ['ptn_token' => $token['ptn_token']]);
    }

    /** What the service received for the user, and the codes that it responded with. */
    private function calls(string $ptnCd): array
    {
        [, $journal] = $this->send('GET', self::$service . "/_authcli/journal?ptn_cd=$ptnCd");
        return array_map(fn ($entry) => "$entry[operation] $entry[code]", $journal['entries']);
    }

    /** The status of the response, and its JSON. */
    private function send(string $method, string $url, array $fields = []): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => 'Content-Type: application/json',
            'content' => $fields === [] ? '' : json_encode($fields),
            'ignore_errors' => true,
        ]]);
        $response = json_decode(file_get_contents($url, false, $context), true);
        return [(int) explode(' ', $http_response_header[0])[1], $response];
    }

    private static function authcli(): array
    {
        // Settings and users of authcli that are only of these tests.
        putenv('AUTHCLI_CONFIG=' . self::$folder . '/config.json');
        return explode(' ', getenv('AUTHCLI') ?: 'authcli');
    }

    /** Starts a command that prints its address when it listens; returns that address. */
    private static function start(array $command): string
    {
        $log = self::$folder . '/' . count(self::$processes) . '.log';
        self::$processes[] = proc_open($command, [1 => ['file', $log, 'a'], 2 => ['file', $log, 'a']], $pipes);
        for ($tries = 0; $tries < 200; $tries++) {
            if (preg_match('~http://[\d.]+:\d+(?=\D)~', file_get_contents($log), $address)) {
                return $address[0];
            }
            usleep(50_000);
        }
        self::fail(implode(' ', $command) . ' did not start: ' . file_get_contents($log));
    }
}
