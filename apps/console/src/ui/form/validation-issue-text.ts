import { describeExpectation } from '@switchyard/contract/errors';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { useServerErrorText } from './server-field-errors.ts';

export type IssueText = (issue: z.core.$ZodIssue) => string;

/** Returns a function that explains a validation issue in the user's language, as one from the server. */
export function useIssueText(): IssueText {
  const { t } = useTranslation('errors');
  const sentenceOf = useServerErrorText();
  return useCallback(
    (issue) => sentenceOf({ rule: issue.code, message: t('rule.invalid'), ...describeExpectation(issue) }),
    [t, sentenceOf],
  );
}
