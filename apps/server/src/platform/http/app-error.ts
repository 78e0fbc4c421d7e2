import type { ErrorCode, FieldError } from '@switchyard/contract/errors';
import type { FailureClass } from '@switchyard/contract/wire-enums';

/** Error with a message that is safe to show; `cause` goes to the process log only. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Failure class of a provider that was called. */
  readonly problem: FailureClass | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    detail: { cause?: unknown; fields?: FieldError[]; retryAfterSeconds?: number; problem?: FailureClass } = {},
  ) {
    super(message, { cause: detail.cause });
    this.name = 'AppError';
    this.code = code;
    this.fields = detail.fields;
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.problem = detail.problem;
  }
}

/** Seconds above which a wait is given in minutes. Programs read the exact seconds in `Retry-After`. */
const SECONDS_SHOWN_MAX = 120;

/** Returns the sentence that says when to retry. */
export function formatRetryAdvice(seconds: number): string {
  if (seconds > SECONDS_SHOWN_MAX) return `Retry in ${Math.ceil(seconds / 60)} minutes.`;
  return `Retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** Advice after a retry. */
export const REPORT_ADVICE = 'If it fails again, send the request ID to the operator.';

/** Refuses one field of a form. The console translates `rule` and its expectation. */
export function fieldError(
  path: string,
  rule: string,
  message: string,
  code: ErrorCode = 'invalid-input',
  expectation: Pick<FieldError, 'limit' | 'expected'> = {},
): AppError {
  return new AppError(code, message, { fields: [{ path, rule, message, ...expectation }] });
}

/** Refuses a list with more entries than the limit. */
export function tooManyEntries(path: string, limit: number, message: string): AppError {
  return fieldError(path, 'too_big', message, 'invalid-input', { limit, expected: 'array' });
}

/**
 * Checks that a call changes no other field, for clients that send back all fields that they have read.
 * @throws AppError `invalid-input` for the first field that has another value than before
 */
export function checkUnchanged(before: object, sent: Readonly<Record<string, unknown>>): void {
  const now = new Map<string, unknown>(Object.entries(before));
  for (const [name, value] of Object.entries(sent))
    if (value !== undefined && value !== now.get(name))
      throw fieldError(name, 'unchangeable', `${name} is ${String(now.get(name))} and cannot be changed here`);
}

/** Refuses a name that another row has. */
export function alreadyExists(path: string, message: string): AppError {
  return fieldError(path, 'already-exists', message, 'already-exists');
}

/** Refuses a change when another user changed the row since it was read. */
export function changedSince(what: string): AppError {
  return fieldError(
    '',
    'changed-meanwhile',
    `Another user has just changed this ${what}. Reload it and try again.`,
    'conflict',
  );
}

/** Refuses an action that needs a recent step-up of the session. The console asks for it itself. */
export function stepUpRequired(): AppError {
  return new AppError('step-up-required', 'Confirm your identity with POST /api/user/step_up, then send this again.');
}

/** Returns the same error for what does not exist and what the caller may not see. */
export function notFound(what: string, id: number | string): AppError {
  return new AppError('not-found', `There is no ${what} ${JSON.stringify(id)}, or you may not see it`);
}

export const errorStatuses: Readonly<Record<ErrorCode, number>> = {
  'invalid-input': 400,
  'not-signed-in': 401,
  'not-allowed': 403,
  'not-found': 404,
  'already-exists': 409,
  conflict: 409,
  'batch-running': 409,
  'wrong-password': 400,
  'wrong-credentials': 400,
  'step-up-required': 403,
  'second-factor-required': 403,
  'second-factor-needed': 403,
  impersonated: 403,
  'impersonation-over': 401,
  'wrong-code': 400,
  'link-expired': 400,
  'switched-off': 403,
  'bind-first': 409,
  'not-human': 400,
  'insecure-connection': 403,
  'too-many-requests': 429,
  'too-large': 413,
  'insufficient-balance': 402,
  'code-unknown': 404,
  'code-used': 409,
  'code-disabled': 409,
  'code-expired': 410,
  'code-limit': 409,
  'code-not-for-you': 403,
  'cross-site': 403,
  'set-up-done': 409,
  'set-up-needed': 409,
  'upstream-failed': 502,
  'not-supported': 400,
  'not-set-up': 409,
  unavailable: 503,
  internal: 500,
};
