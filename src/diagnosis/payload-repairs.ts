import { decodeBase64Strict, decodeUtf8 } from '../bytes.ts';

/** A payload's text with damage of its way undone. */
export interface Repair {
  /** What was wrong with the text, as the subject's complement: "is percent-encoded". */
  readonly damage: string;
  /** What to change where the text was made or carried. */
  readonly mend: string;
  readonly payload: string;
}

interface RepairRule {
  readonly damage: string;
  readonly mend: string;
  /** The text mended; undefined where it shows no such damage. */
  readonly apply: (payload: string) => string | undefined;
}

/** Damage is looked for in texts up to this length; it is seen in short ones or not at all. */
const longest = 1_048_576;

const rules: readonly RepairRule[] = [
  {
    damage: 'has quotation marks of its own',
    mend: 'Put the text into JSON once: it was serialised before it became a field.',
    apply: (payload) => /^"(.*)"$/s.exec(payload.trim())?.[1],
  },
  {
    damage: 'has its line ends or slashes escaped twice',
    mend: 'Put the text into JSON once: it was serialised before it became a field.',
    apply: (payload) =>
      /\\[/nr]/.test(payload) ? payload.replace(/\\\//g, '/').replace(/\\[nr]/g, '') : undefined,
  },
  {
    damage: 'is percent-encoded',
    mend: 'Leave URL encoding out: in a JSON body Base64 needs none.',
    apply: (payload) => (/%(?:2[BbFf]|3[Dd])/.test(payload) ? percentDecoded(payload) : undefined),
  },
  {
    damage: 'has spaces where Base64 has "+"',
    mend: 'Send it as JSON; form decoding has turned "+" into a space.',
    apply: (payload) => (/\S ./.test(payload) ? payload.trim().replaceAll(' ', '+') : undefined),
  },
  {
    damage: 'is Base64 of text that is encoded already',
    mend: 'Encode the ciphertext once: the library has returned text, not bytes.',
    apply: innerText,
  },
];

/** Every way in which the text may have been damaged on its way, undone. */
export function findRepairs(payload: string): Repair[] {
  if (payload.length > longest) return [];
  return rules.flatMap(({ damage, mend, apply }) => {
    const mended = apply(payload);
    return mended === undefined || mended === payload ? [] : [{ damage, mend, payload: mended }];
  });
}

function percentDecoded(payload: string): string | undefined {
  try {
    return decodeURIComponent(payload);
  } catch {
    return undefined;
  }
}

/** Base64 whose bytes are digits of Base64 or hexadecimal again. */
function innerText(payload: string): string | undefined {
  const bytes = decodeBase64Strict(payload.trim());
  const inner = bytes && decodeUtf8(bytes);
  return inner !== undefined && /^[A-Za-z0-9+/_-]{16,}={0,2}\s*$/.test(inner) ? inner : undefined;
}
