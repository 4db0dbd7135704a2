/** The status as it stands behind what was seen: "(status 502)". */
export function statusText(status: number): string {
  return `(status ${status})`;
}

const hints: Readonly<Record<number, string>> = {
  204: 'Status 204 sends no body: answer with 200 and the JSON object.',
  304: 'Status 304 sends no body: switch off caching and conditional answers for this path.',
  400: 'The framework refused the request before the handler saw it: its log says why.',
  401: 'Something in front asks for a login: except this path from it, the other side has no session.',
  403: 'Something in front refuses: except this path from login, CSRF protection and IP filters.',
  404: 'Nothing answers at this path: check the URL, the route and the prefix of the application.',
  405: 'The route exists and does not take POST: both callbacks are POST requests.',
  406: 'The framework found no way to write the answer: let the handler produce application/json.',
  411: 'The server wants a Content-Length, which every request has: look at the proxy in between.',
  413: 'The server limits the size of requests below that of a callback: raise the limit.',
  415: 'The handler does not take application/json;charset=utf-8: let it consume JSON.',
  419: 'CSRF protection refused the request: except this path from it.',
  422: 'The framework refused the fields of the request before the handler saw them.',
  429: 'Something in front limits the rate of requests: except this path from it.',
  500: 'The application failed: the stack trace in its log for the same instant says where.',
  502: 'A proxy answered, since the application behind it broke off: look into its log.',
  503: 'A proxy answered, since no application is there: start it, or wait until it is up.',
  504: 'A proxy answered, since the application took too long: look what its handler waits for.',
};

/** What an HTTP status says of an answer without JSON; undefined where it says nothing. */
export function hintOfStatus(status: number): string | undefined {
  return hints[status] ?? (status >= 500 ? hints[500] : undefined);
}
