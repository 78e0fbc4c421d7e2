import type { z } from 'zod';
import type { FieldError } from './errors.ts';

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
