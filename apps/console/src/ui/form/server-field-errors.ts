import type { FieldError } from '@switchyard/contract/errors';
import { ApiError } from '@switchyard/contract/http-exchange';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../i18n/languages.ts';
import { useLanguage } from '../../i18n/use-language.ts';

type Refused = Omit<FieldError, 'path'>;

/** Returns a function that explains in the user's language why a field was refused. */
export function useServerErrorText(): (refused: Refused) => string {
  const { t, i18n } = useTranslation('errors');
  const language = useLanguage();
  return useCallback(
    (refused) => {
      const text: unknown = i18n.getResource(language, 'errors', `server.${refused.rule}`);
      if (typeof text === 'string') return text;
      const rule = ruleOf(refused);
      if (rule === undefined) return refused.message;
      const limit = refused.limit?.toLocaleString(languageTags[language], { maximumFractionDigits: 6 });
      return t(`rule.${rule}`, { limit, example: examples[refused.expected ?? ''] });
    },
    [t, i18n, language],
  );
}

const examples: Readonly<Record<string, string>> = { date: '2026-01-31', hostname: 'mail.example.com' };

type Limited = 'text' | 'number' | 'list';
type Rule =
  | `${Limited}Too${'Small' | 'Big'}`
  | 'required'
  | 'wholeNumber'
  | 'number'
  | 'choice'
  | 'url'
  | 'email'
  | 'address'
  | 'example'
  | 'format'
  | 'invalid';

/** Returns the text for a rule of the schema library, unless only its message explains it. */
function ruleOf({ rule, limit, expected = '' }: Refused): Rule | undefined {
  if (rule === 'required') return rule;
  if (rule === 'invalid_value') return 'choice';
  if (rule === 'too_small' || rule === 'too_big') {
    if (limit === undefined) return undefined;
    const kind = expected === 'string' ? 'text' : /^(array|set)$/.test(expected) ? 'list' : 'number';
    if (rule === 'too_big') return `${kind}TooBig`;
    return limit === 1 && kind !== 'number' ? 'required' : `${kind}TooSmall`;
  }
  if (!/^invalid_(type|format|union)$/.test(rule)) return undefined;
  if (expected === 'int') return 'wholeNumber';
  if (expected === 'number' || expected === 'url' || expected === 'email') return expected;
  if (/^(ipv|cidrv)/.test(expected)) return 'address';
  if (Object.hasOwn(examples, expected)) return 'example';
  if (rule !== 'invalid_type') return 'format';
  return expected === '' ? 'required' : 'invalid';
}

/** Returns a function that lists the refused fields, each with a text in the user's language. */
export function useServerFieldErrors(): (error: unknown) => { path: string; sentence: string }[] {
  const sentenceOf = useServerErrorText();
  return useCallback(
    (error) => {
      if (!(error instanceof ApiError)) return [];
      return error.fields.map((refused) => ({ path: refused.path, sentence: sentenceOf(refused) }));
    },
    [sentenceOf],
  );
}
