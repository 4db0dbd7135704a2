import { describeExampleTests } from '../../support/example-application.ts';

describeExampleTests(
  'The tests of the example in Ruby, with minitest,',
  {
    folder: 'ruby',
    file: 'application.rb',
    command: 'ruby application_test.rb',
    allPassed: /3 runs, \d+ assertions, 0 failures, 0 errors/,
    failed: /^ +\d+\) (?:Failure|Error):\nApplicationTest#(\w+)/gm,
  },
  [
    { change: ['SecureRandom.hex(16)', "'k' * 32"], fails: 'test_callbacks_conform' },
    {
      change: ['unless OpenSSL.secure_compare(passcode, user.passcode)', 'if passcode.empty?'],
      fails: 'test_refuses_another_passcode',
    },
    {
      change: [
        "user = USERS.fetch(text(token, 'ptn_cd'))",
        "user = USERS.fetch(call('/process/token', ptn_token: fields['ptn_token'])['ptn_cd'])",
      ],
      fails: 'test_signs_in_with_one_call_to_each_endpoint',
    },
  ],
);
