import { describeExampleTests } from '../../support/example-application.ts';

describeExampleTests(
  'The tests of the example in Python, with pytest,',
  {
    folder: 'python',
    file: 'application.py',
    command: 'python3 -m pytest',
    allPassed: /3 passed/,
    failed: /^(?:FAILED|ERROR) test_application\.py::(\w+)/gm,
  },
  [
    { change: ['secrets.token_hex(16)', '"k" * 32'], fails: 'test_callbacks_conform' },
    {
      change: ['if not hmac', 'if False and not hmac'],
      fails: 'test_refuses_another_passcode',
    },
    {
      change: [
        '    user = users[token["ptn_cd"]]\n',
        '    user = users[call("/process/token", ptn_token=fields["ptn_token"])["ptn_cd"]]\n',
      ],
      fails: 'test_signs_in_with_one_call_to_each_endpoint',
    },
  ],
);
