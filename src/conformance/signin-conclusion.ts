import { type Exchange, statusOf } from '../client/exchange.ts';
import { answerText } from '../client/recording.ts';
import type { Conclusion } from './signin-environment.ts';

/** The verdict of a response: 2xx signed in, 4xx and 5xx refused. */
export function concludeFrom(exchange: Exchange): Conclusion {
  const status = statusOf(exchange);
  const { failure: diagnosis, answer } = exchange;
  const shown = answer === undefined ? '' : answerText(answer);
  if (status === undefined || answer === undefined) {
    const how = `no response (${diagnosis?.code ?? 'unknown'})`;
    return { verdict: 'unclear', how, diagnosis, shown, exchange };
  }
  const how = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { verdict: 'signed-in', how, shown, exchange };
  const verdict = status >= 400 ? 'refused' : 'unclear';
  return { verdict, how, shown, exchange };
}
