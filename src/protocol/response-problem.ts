import type { JsonType, TextPlace } from './json.ts';
import type { JsonSyntaxFault } from './json-scanner.ts';
import type { BodyEncoding } from './not-json.ts';

/** What a body is instead of a JSON object. */
export type NotJsonReason =
  | BodyEncoding
  | JsonSyntaxFault
  | 'duplicate-name'
  | 'array'
  | 'scalar'
  | 'json-in-json'
  | 'form-encoded'
  | 'xml'
  | 'leading-text'
  | 'plain-text';

/**
 * What is wrong with a response, as facts; `kind` is the diagnosis code that it leads to. Texts are
 * as they came (nothing escaped), at most a few dozen characters long, and long runs of letters
 * and digits in them, which may be secrets, are cut.
 */
export type ResponseProblem =
  | { readonly kind: 'empty-body'; readonly bytes: number }
  | {
      readonly kind: 'html-instead-of-json';
      /** The page's title or first heading, or its first text. */
      readonly title: string;
      /** JSON follows the HTML: a warning was printed before the response. */
      readonly jsonFollows: boolean;
    }
  | {
      readonly kind: 'not-json';
      readonly reason: NotJsonReason;
      /** What distinguishes this case within its reason, such as `gzip` or `UTF-16LE`; may be empty. */
      readonly detail: string;
      /** The text around the place, or the beginning; empty where there is no text. */
      readonly near: string;
      readonly place?: TextPlace;
    }
  | { readonly kind: 'byte-order-mark' }
  | {
      readonly kind: 'code-not-string';
      readonly found: JsonType;
      /** The value as text, such as `0` or `0000`. */
      readonly value: string;
    }
  | { readonly kind: 'code-not-success'; readonly value: string; readonly message?: string }
  | { readonly kind: 'message-missing'; readonly foundAt?: string }
  | { readonly kind: 'result-missing'; readonly isNull: boolean }
  | { readonly kind: 'field-missing'; readonly field: string; readonly present: readonly string[] }
  | { readonly kind: 'field-misplaced'; readonly field: string; readonly foundAt: string }
  | {
      readonly kind: 'field-type';
      readonly field: string;
      readonly expected: 'string' | 'object';
      readonly found: JsonType;
      /** The value is a string that contains a JSON object. */
      readonly jsonInString: boolean;
    }
  | {
      readonly kind: 'field-malformed';
      readonly field: string;
      /** What the field should contain: "14 digits, yyyyMMddHH24miss". */
      readonly expected: string;
      /** What it contains, without any secret. */
      readonly observed: string;
    };
