import { authenticateUrl, callbackUrl } from '../protocol/endpoints.ts';
import { required } from './options.ts';

export const urlFlag = required('--url <url>', "the application's callback URL", {
  parse: callbackUrl,
  setting: 'url',
});

export const authUrlFlag = required('--auth-url <url>', "the service's address, {auth_url}", {
  parse: checkedAuthUrl,
  setting: 'auth-url',
});

/** Reads {auth_url}; throws `usage` for what can't be one. */
export function checkedAuthUrl(text: string): string {
  authenticateUrl(text);
  return text;
}
