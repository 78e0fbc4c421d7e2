import type { z } from 'zod';
import type { FailureClass } from './wire-enums.ts';

/** Error codes of the management API. The console has a message for each in every language. */
export const errorCodes = [
  'invalid-input',
  'not-signed-in',
  'not-allowed',
  'not-found',
  'already-exists',
  'conflict',
  'batch-running',
  'wrong-password',
  'wrong-credentials',
  'step-up-required',
  'second-factor-required',
  'second-factor-needed',
  'impersonated',
  'impersonation-over',
  'wrong-code',
  'link-expired',
  'switched-off',
  'bind-first',
  'not-human',
  'insecure-connection',
  'too-many-requests',
  'too-large',
  'insufficient-balance',
  'code-unknown',
  'code-used',
  'code-disabled',
  'code-expired',
  'code-limit',
  'code-not-for-you',
  'cross-site',
  'set-up-done',
  'set-up-needed',
  'upstream-failed',
  'not-supported',
  'not-set-up',
  'unavailable',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Refused field; `rule` is an issue code of the schema library or of the gateway. */
export interface FieldError {
  path: string;
  rule: string;
  message: string;
  /** Limit that the rules `too_small` and `too_big` name: of a number, of characters or of entries. */
  limit?: number | undefined;
  /** Type or format that the value must have, such as `int` or `url`; absent if the value is missing. */
  expected?: string | undefined;
}

/** Envelope of every management response. */
export type Envelope<T> =
  | { success: true; message: string; data: T }
  | {
      success: false;
      message: string;
      code: ErrorCode;
      fields?: FieldError[];
      /** Seconds after which a retry may succeed. */
      retry_after?: number;
      /** Failure class of a failed call to a provider; `message` then comes from the provider. */
      problem?: FailureClass;
      request_id?: string;
    };

/** Returns what a valid value needs, from which the console translates the issue. */
export function describeExpectation(issue: z.core.$ZodIssue): Pick<FieldError, 'limit' | 'expected'> {
  switch (issue.code) {
    case 'too_small':
      return { limit: Number(issue.minimum), expected: issue.origin };
    case 'too_big':
      return { limit: Number(issue.maximum), expected: issue.origin };
    case 'invalid_type':
      return issue.input === undefined || issue.input === null ? {} : { expected: issue.expected };
    case 'invalid_format':
      return { expected: issue.format };
    case 'invalid_union': {
      // The contract's unions start with the "empty" and "never" values.
      const last = issue.errors.at(-1)?.[0];
      return last === undefined ? {} : describeExpectation(last);
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_value':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return {};
  }
}
