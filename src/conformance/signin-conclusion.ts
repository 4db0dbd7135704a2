import { type Exchange, statusOf } from '../client/exchange.ts';
import { responseText } from '../client/recording.ts';
import type { Conclusion } from './signin-environment.ts';

/** The verdict of a response: 2xx signed in, 4xx and 5xx refused. */
export function concludeFrom(exchange: Exchange): Conclusion {
  const status = statusOf(exchange);
  const { failure: diagnosis, response } = exchange;
  const shown = response === undefined ? '' : responseText(response);
  if (status === undefined || response === undefined) {
    const how = `no response (${diagnosis?.code ?? 'unknown'})`;
    return { verdict: 'unclear', how, diagnosis, shown, exchange };
  }
  const how = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { verdict: 'signed-in', how, shown, exchange };
  const verdict = status >= 400 ? 'refused' : 'unclear';
  return { verdict, how, shown, exchange };
}
