import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useServerErrorText } from './server-field-errors.ts';
import { useIssueText } from './use-contract-form.ts';

it.each([
  [{ rule: 'too_small', limit: 3, expected: 'string' }, 'At least 3 characters'],
  [{ rule: 'too_small', limit: 1, expected: 'string' }, 'Required'],
  [{ rule: 'too_big', limit: 10_000, expected: 'array' }, 'At most 10,000 entries'],
  [{ rule: 'too_big', limit: 0.000_001, expected: 'number' }, 'At most 0.000001'],
  [{ rule: 'too_big' }, 'sentence of the server'],
  [{ rule: 'invalid_type' }, 'Required'],
  [{ rule: 'invalid_type', expected: 'int' }, 'Enter a whole number'],
  [{ rule: 'invalid_type', expected: 'boolean' }, 'Invalid value'],
  [{ rule: 'invalid_union', expected: 'url' }, 'Enter a complete URL, such as https://example.com'],
  [{ rule: 'invalid_format', expected: 'cidrv6' }, 'Enter an IP address or a range such as 10.0.0.0/8'],
  [{ rule: 'invalid_format', expected: 'date' }, 'Enter a value such as 2026-01-31'],
  [{ rule: 'invalid_format', expected: 'regex' }, 'Invalid format'],
  [{ rule: 'invalid_value' }, 'Choose one of the options'],
  [{ rule: 'past' }, 'This time is in the past'],
  [{ rule: 'not_multiple_of' }, 'sentence of the server'],
])('explains the field error %j', (refused, sentence) => {
  const { current } = renderHook(useServerErrorText).result;
  expect(current({ message: 'sentence of the server', ...refused })).toBe(sentence);
});

it.each<[z.ZodType, unknown, string]>([
  [z.string().max(5), '123456', 'At most 5 characters'],
  [z.number(), null, 'Required'],
  [z.union([z.literal(''), z.hostname()]), 'a b', 'Enter a value such as mail.example.com'],
  [z.array(z.int()).min(2), [1], 'At least 2 entries'],
  [z.string().refine(() => false), 'x', 'Invalid value'],
])('explains an issue of a form as the server’s: %#', (schema, value, sentence) => {
  const [issue] = schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
  if (issue === undefined) throw new Error('the value is valid');
  expect(renderHook(useIssueText).result.current(issue)).toBe(sentence);
});
