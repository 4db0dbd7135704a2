import { shellWord } from '../../text.ts';

/** The keystore that the line for Java makes, in the current folder, and the password of every example. */
const keystore = 'authcli-ca.p12';
const password = 'changeit';

/** How each program is made to trust a CA, by its name in JSON. Nothing here changes the system's own store. */
export function trustLines(file: string): Readonly<Record<TrustName, readonly string[]>> {
  const path = shellWord(file);
  return {
    authcli: [`--ca ${path}`],
    curl: [`curl --cacert ${path}`],
    node: [`export NODE_EXTRA_CA_CERTS=${path}`],
    python: [`export SSL_CERT_FILE=${path} REQUESTS_CA_BUNDLE=${path}`],
    java: [
      `keytool -importcert -noprompt -alias authcli -file ${path} -keystore ${keystore} -storepass ${password}`,
      `java -Djavax.net.ssl.trustStore=${keystore} -Djavax.net.ssl.trustStorePassword=${password}`,
    ],
  };
}

type TrustName = 'authcli' | 'curl' | 'node' | 'python' | 'java';

const labels: Readonly<Record<TrustName, string>> = {
  authcli: 'authcli',
  curl: 'curl',
  node: 'Node',
  python: 'Python',
  java: 'Java',
};

/** The same as rows for people. */
export function trustRows(file: string): readonly (readonly [label: string, line: string])[] {
  return Object.entries(trustLines(file)).flatMap(([name, lines]) =>
    lines.map((line, index) => [index === 0 ? labels[name as TrustName] : '', line] as const),
  );
}
