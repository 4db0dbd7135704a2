import { optional } from './options.ts';
import { timeZone } from './setting-values.ts';

export const expireTimeZoneFlag = optional(
  '--expire-time-zone <zone>',
  'the time zone of expire_dt',
  {
    parse: timeZone,
    setting: 'expireTimeZone',
  },
);
