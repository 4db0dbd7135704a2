import { describeExampleTests } from '../../support/example-application.ts';

const jars = '/usr/share/java/gson.jar:/usr/share/java/junit-platform-console-standalone.jar';
const launcher = 'org.junit.platform.console.ConsoleLauncher --disable-ansi-colors';

describeExampleTests(
  'The tests of the example in Java, with JUnit 5,',
  {
    folder: 'java',
    file: 'Application.java',
    command: `javac -d classes -cp ${jars} *.java
java -cp classes:${jars} ${launcher} --scan-classpath`,
    allPassed: /3 tests successful/,
    failed: /MethodSource \[className = 'ApplicationTest', methodName = '(\w+)'/g,
  },
  [
    {
      change: ['random.nextBytes(bytes)', 'bytes[0] = 1'],
      fails: 'callbacksConform',
    },
    {
      change: ['if (!MessageDigest', 'if (false && !MessageDigest'],
      fails: 'refusesAnotherPasscode',
    },
    {
      change: [
        'User user = users.get(text(token, "ptn_cd"));',
        'User user = users.get(text(call("/process/token", Map.of("ptn_token", text(fields, "ptn_token"))), "ptn_cd"));',
      ],
      fails: 'signsInWithOneCallToEachEndpoint',
    },
  ],
);
