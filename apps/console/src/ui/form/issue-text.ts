import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { useFormat } from '../format/use-format.ts';

export type IssueText = (issue: z.core.$ZodIssue) => string;

/** Returns a function that explains a validation issue in the user's language. */
export function useIssueText(): IssueText {
  const { t } = useTranslation('errors');
  const format = useFormat();
  return useCallback(
    (issue) => {
      const limit = limitOf(issue);
      if (limit === undefined) return t(`rule.${ruleOf(issue)}`);
      return t(`rule.${limit.rule}`, { limit: format.number(limit.limit, 6) });
    },
    [t, format],
  );
}

type Limit = { rule: `${'text' | 'number' | 'list'}TooSmall` | `${'text' | 'number' | 'list'}TooBig`; limit: number };

function limitOf(issue: z.core.$ZodIssue): Limit | undefined {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const kind =
    issue.origin === 'string' ? 'text' : issue.origin === 'array' || issue.origin === 'set' ? 'list' : 'number';
  if (issue.code === 'too_big') return { rule: `${kind}TooBig`, limit: Number(issue.maximum) };
  const minimum = Number(issue.minimum);
  return minimum === 1 && kind !== 'number' ? undefined : { rule: `${kind}TooSmall`, limit: minimum };
}

type Rule = 'required' | 'wholeNumber' | 'number' | 'choice' | 'url' | 'email' | 'address' | 'format' | 'invalid';

function ruleOf(issue: z.core.$ZodIssue): Rule {
  if (issue.code === 'too_small') return 'required';
  if (issue.code === 'invalid_type') return typeRule(issue);
  if (issue.code === 'invalid_value') return 'choice';
  if (issue.code === 'invalid_format') return formatRule(issue.format);
  if (issue.code === 'invalid_union') return unionRule(issue.errors);
  return 'invalid';
}

function typeRule(issue: z.core.$ZodIssueInvalidType): Rule {
  if (issue.input === undefined || issue.input === null) return 'required';
  if (issue.expected === 'int') return 'wholeNumber';
  return issue.expected === 'number' ? 'number' : 'required';
}

function formatRule(format: string): Rule {
  if (format === 'url' || format === 'email') return format;
  return /^(ipv|cidrv)/.test(format) ? 'address' : 'format';
}

/** Returns the rule of the last branch: the contract's unions start with the "empty" and "never" values. */
function unionRule(branches: readonly (readonly z.core.$ZodIssue[])[]): Rule {
  const issue = branches.at(-1)?.[0];
  return issue === undefined ? 'invalid' : ruleOf(issue);
}
