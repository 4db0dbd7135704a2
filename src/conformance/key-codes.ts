import { type DiagnosisCode, keyFormCodes, wrappedKeyCodes } from '../errors.ts';

const wrapCodes: ReadonlySet<DiagnosisCode> = new Set(wrappedKeyCodes);

const formCodes: ReadonlySet<DiagnosisCode> = new Set(keyFormCodes);

/** Forms in which the text of the wrap isn't the key that the application keeps. */
const ambiguousCodes: ReadonlySet<DiagnosisCode> = new Set<DiagnosisCode>([
  'key-raw-bytes',
  'key-quoted',
  'key-trailing-newline',
]);

/** Whether the code is about how the key was wrapped (2.2). */
export function isWrapCode(code: DiagnosisCode): boolean {
  return wrapCodes.has(code);
}

/** Whether the code is about the form of the key: its length, its encoding. */
export function isFormCode(code: DiagnosisCode): boolean {
  return formCodes.has(code);
}

/** Whether it can't be told which key the application keeps. */
export function isAmbiguousForm(code: DiagnosisCode): boolean {
  return ambiguousCodes.has(code);
}
