import type { connectionCodes } from '../../errors.ts';
import type { CataloguePart } from '../diagnosis.ts';

/** The codes of a connection. */
export const connectionCatalogue: CataloguePart<(typeof connectionCodes)[number]> = {
  dns: {
    title: 'The host name does not resolve',
    meaning:
      'The request never left this machine: its resolver found no address for the host name.',
    recognised:
      'The DNS lookup returns no address (ENOTFOUND), or no name server responds (EAI_AGAIN).',
    fix: 'Check the spelling of the URL. Container and VPN host names only resolve inside their network: run authcli there, or use the public address.',
    example: 'https://app.exmaple.com/callback: no such domain.',
  },
  refused: {
    title: 'Connection refused',
    meaning: 'The host name resolves, but nothing accepts connections on that port.',
    recognised: 'The operating system reports ECONNREFUSED, or no route to the host.',
    fix: 'Start the server, check the port, and bind to an address reachable from here (in a container 0.0.0.0, not 127.0.0.1).',
    example: 'The application listens on port 3000, but the URL has 8080.',
  },
  'tls-untrusted': {
    title: 'The certificate is not trusted',
    meaning:
      "The certificate chain doesn't lead to a CA that this machine trusts. The service would refuse it, too.",
    recognised:
      "OpenSSL rejects the chain: self-signed, an unknown root, or an intermediate certificate that the server doesn't send.",
    fix: 'Make the server send the full chain (fullchain.pem, not cert.pem). For a private CA, name its certificate with --ca FILE, or in NODE_EXTRA_CA_CERTS.',
    example:
      'nginx with "ssl_certificate cert.pem": browsers fetch the missing intermediate, servers don\'t.',
  },
  'tls-expired': {
    title: 'The certificate has expired, or is not valid yet',
    meaning: 'A certificate in the chain is used outside its validity period.',
    recognised:
      "The certificates' dates (RFC 5280 4.1.2.5) are compared with this machine's clock.",
    fix: 'Renew the certificate and reload the server; if the dates look right, check the clocks.',
    example: "The certificate was renewed on disk, but the server wasn't reloaded.",
  },
  'tls-hostname': {
    title: 'The certificate is for a different host name',
    meaning: "The certificate is valid, but doesn't cover the host in the URL.",
    recognised: 'No name in subjectAltName matches the host (RFC 9525 6).',
    fix: 'Use a host name that the certificate covers, or get a certificate for the host in the URL.',
    example: 'https://10.0.0.5/ with a certificate for app.example.com.',
  },
  'tls-version': {
    title: 'The server supports only old TLS versions',
    meaning:
      'The other side speaks TLS, but neither TLS 1.2 nor TLS 1.3. TLS 1.0 and 1.1 are deprecated (RFC 8996), and current clients refuse them.',
    recognised:
      'The server sends the TLS alert protocol_version, or chooses a version that was not offered.',
    fix: 'Allow TLS 1.2 and 1.3 in the server, its framework or the load balancer in front of it; on an old system, update the TLS library.',
    example: 'nginx with "ssl_protocols TLSv1 TLSv1.1;".',
  },
  timeout: {
    title: 'No complete response in time',
    meaning: 'The time limit, from the DNS lookup to the last byte of the response, was exceeded.',
    recognised:
      'The message names what timed out: DNS, connection, TLS, the response, or the rest of its body.',
    fix: 'If the connection times out, check for a firewall. If the response times out, check what the handler is waiting for: a database, a lock, an await that never settles. Raise the limit only if the work needs it.',
    example: "A handler that never ends the response: res.json(…) isn't called.",
  },
  reset: {
    title: 'The connection was closed early',
    meaning: 'The other side closed the connection before the response was complete.',
    recognised:
      'The connection ends (FIN or RST) before the response headers, or before as many bytes as Content-Length announces.',
    fix: 'Check for a crash, a killed worker or a proxy with a shorter timeout. If the body is truncated, let the framework set Content-Length: it counts bytes, not characters.',
    example: 'Content-Length set to the length of a string that contains non-ASCII characters.',
  },
  'protocol-error': {
    title: 'The other side does not speak the expected protocol',
    meaning:
      "The other side, or a proxy in between, doesn't speak the protocol in the URL, or refuses the connection.",
    recognised:
      'Bytes that are not HTTP/1.1, a TLS alert, plain HTTP on a TLS port or the reverse, or a proxy that refuses (status 407 and others).',
    fix: 'Check the scheme and port in the URL first. If a proxy asks for credentials, or the server for a client certificate, configure them.',
    example: 'https://localhost:8080/, but the server speaks plain HTTP.',
  },
};
