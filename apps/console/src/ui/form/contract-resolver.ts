import type { FieldError, FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import { set } from 'react-hook-form';
import { z } from 'zod';

export type IssueText = (issue: z.core.$ZodIssue) => string;

/**
 * Checks a form against the contract's own schema. Forms hold decoded values (words, not the wire's integers),
 * so the schema runs in its encoding direction, which applies the same checks.
 */
export function contractResolver<Values extends FieldValues>(
  schema: z.ZodType<Values>,
  sentence: IssueText,
): Resolver<Values> {
  return (values) => {
    const result = z.safeEncode(schema, values, { reportInput: true });
    if (result.success) return { values, errors: {} };
    const errors: FieldErrors<Values> = {};
    for (const issue of result.error.issues) {
      const path = issue.path.join('.');
      const error: FieldError = { type: issue.code, message: sentence(issue) };
      set(errors, path === '' ? 'root' : path, error);
    }
    return { values: {}, errors };
  };
}
