/**
 * Whether an answer is that of a TLS server to a plain request, as nginx, Apache, Go and Tomcat
 * write it.
 */
export function saysTlsIsWanted(answer: { status: number; body: Uint8Array }): boolean {
  if (answer.status !== 400) return false;
  const text = Buffer.from(answer.body.subarray(0, 2000)).toString('latin1');
  return /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled|HTTP request to an HTTPS server|combination of host and port requires TLS/.test(
    text,
  );
}
