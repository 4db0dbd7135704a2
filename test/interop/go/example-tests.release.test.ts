import { describeExampleTests } from '../../support/example-application.ts';

describeExampleTests(
  'The tests of the example in Go, with go test,',
  {
    folder: 'go',
    file: 'application.go',
    command: 'go test -v',
    allPassed: /(?:^--- PASS[\s\S]*){3}^PASS$/m,
    failed: /^--- FAIL: (\w+)/gm,
  },
  [
    { change: ['rand.Read(random)', 'rand.Read(nil)'], fails: 'TestCallbacksConform' },
    {
      change: ['known.(user).passcode)) != 1', 'known.(user).passcode)) > 1'],
      fails: 'TestRefusesAnotherPasscode',
    },
    {
      change: [
        'known, ok := users.Load(text(token, "ptn_cd"))',
        'call("/process/token", object{"ptn_token": fields["ptn_token"]}); known, ok := users.Load(text(token, "ptn_cd"))',
      ],
      fails: 'TestSignsInWithOneCallToEachEndpoint',
    },
  ],
);
