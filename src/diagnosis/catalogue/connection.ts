import type { connectionCodes } from '../../errors.ts';
import type { CataloguePart } from '../catalogue-entry.ts';

/** What is known of the codes of a connection. */
export const connectionCatalogue: CataloguePart<(typeof connectionCodes)[number]> = {
  dns: {
    title: 'The name of the host has no address',
    meaning: 'The request never left this machine: its resolver knows no address for the name.',
    recognised:
      'The look-up ends without an address (ENOTFOUND), or no name server answers (EAI_AGAIN).',
    mend: 'Check the spelling of the URL. Names of containers and of a VPN are known only inside: run there, or use the address that is published outside.',
    example: 'https://app.exmaple.com/callback: no such domain.',
  },
  refused: {
    title: 'Nothing accepts connections there',
    meaning: 'The host is known, and no connection to that port can be made.',
    recognised: 'The operating system reports ECONNREFUSED, or that there is no route to the host.',
    mend: 'Start the server; check the port; let it listen on an address that is reachable from here (0.0.0.0 in a container, not 127.0.0.1).',
    example: 'The application listens on port 3000, the URL says 8080.',
  },
  'tls-untrusted': {
    title: 'The certificate is not trusted',
    meaning:
      'The chain of the certificate does not lead to an authority that is trusted here. The service would refuse it likewise.',
    recognised:
      'The verdict of OpenSSL on the chain: signed by itself, an unknown root, or an intermediate certificate that the server does not send.',
    mend: 'Have the server send its whole chain (fullchain.pem, not cert.pem). For a certificate of your own, add its authority to those that are trusted here.',
    example:
      'nginx with "ssl_certificate cert.pem": browsers fetch the missing intermediate, servers do not.',
  },
  'tls-expired': {
    title: 'The certificate has expired, or is not valid yet',
    meaning: 'A certificate of the chain is used outside the time for which it was made.',
    recognised: "The dates of the certificates (RFC 5280 4.1.2.5) beside this machine's clock.",
    mend: 'Renew the certificate and have the server load it; check the clocks if the dates look right.',
    example: 'The certificate was renewed on disk, and the server was not reloaded.',
  },
  'tls-hostname': {
    title: 'The certificate is for other names',
    meaning: 'The certificate is in order, and the host of the URL is not among its names.',
    recognised: 'No name of the subjectAltName matches the host (RFC 9525 6).',
    mend: 'Use a URL with a name that the certificate has, or a certificate that has the name of the URL.',
    example: 'https://10.0.0.5/ with a certificate for app.example.com.',
  },
  timeout: {
    title: 'No complete answer in time',
    meaning:
      'The time limit, from the look-up of the name to the last byte of the answer, was over.',
    recognised:
      'The message says what was being waited for: address, connection, TLS, the answer, or the rest of its body.',
    mend: 'If no connection is made, look for a firewall. If the answer does not come, look at what the handler waits for: a database, a lock, an await that never ends. Allow more time only if the work needs it.',
    example: 'A handler that forgets to end the response: res.json(…) is never called.',
  },
  reset: {
    title: 'The connection was cut',
    meaning: 'The other side closed the connection before the answer was complete.',
    recognised:
      'The connection ends (FIN or RST) before the head of the answer, or before the bytes that Content-Length announces.',
    mend: 'Look for a crash, a killed worker or a proxy with a shorter time limit. If the body is cut, let the framework write Content-Length: it counts bytes, not characters.',
    example: 'Content-Length set to the length of a string that has letters outside ASCII.',
  },
  'protocol-error': {
    title: 'What came is no HTTP over the agreed channel',
    meaning:
      'The other side, or a proxy on the way, does not speak what the URL says, or refuses to.',
    recognised:
      'Bytes that are no HTTP/1.1, a TLS alert, plain HTTP on a port meant for TLS or the reverse, or the refusal of a proxy (status 407 and others).',
    mend: 'Check scheme and port of the URL first. Give the proxy its credentials, and the server a client certificate where it asks for one.',
    example: 'https://localhost:8080/ where the server speaks plain HTTP.',
  },
};
