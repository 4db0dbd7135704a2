import { describeExampleTests } from '../../support/example-application.ts';

describeExampleTests(
  'The tests of the example in PHP, with PHPUnit,',
  {
    folder: 'php',
    file: 'application.php',
    command: 'phpunit ApplicationTest.php',
    allPassed: /OK \(3 tests/,
    failed: /^\d+\) ApplicationTest::(\w+)/gm,
  },
  [
    { change: ['bin2hex(random_bytes(16))', "str_repeat('k', 32)"], fails: 'testCallbacksConform' },
    {
      change: ['if (!hash_equals', 'if (false && !hash_equals'],
      fails: 'testRefusesAnotherPasscode',
    },
    {
      change: [
        "$user = loadUser($token['ptn_cd']);",
        "$user = loadUser(call('/process/token', ['ptn_token' => $fields['ptn_token']])['ptn_cd']);",
      ],
      fails: 'testSignsInWithOneCallToEachEndpoint',
    },
  ],
);
