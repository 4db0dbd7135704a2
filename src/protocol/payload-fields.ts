/** The fields of the interface that are encrypted with the per-user key (2.1). */
export const payloadFields = ['partner_sp', 'ubifill', 'ptn_sp'] as const;

export type PayloadField = (typeof payloadFields)[number];

/** What each contains, by which similar plaintexts are distinguished. */
export const payloadKinds = {
  partner_sp: 'passcode',
  ubifill: 'user-info',
  ptn_sp: 'passcode',
} as const satisfies Readonly<Record<PayloadField, string>>;
