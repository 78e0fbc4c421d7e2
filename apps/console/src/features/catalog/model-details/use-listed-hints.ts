import type { ModelFacts } from '@switchyard/contract/catalog/models';
import { useTranslation } from 'react-i18next';
import { useFactWords } from '../../../ui/display/fact-words.ts';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Returns the value in effect for each field while it is empty; undefined where the lists have none. */
export function useListedHints(listed: ModelFacts) {
  const { t } = useTranslation('model-details');
  const format = useFormat();
  const words = useFactWords();
  const hint = <Value>(value: Value | undefined, wordsOf: (value: Value) => string): string | undefined =>
    value === undefined ? undefined : t('listed', { value: wordsOf(value) });
  return {
    context_length: hint(listed.context_length, words.tokens),
    output_max: hint(listed.output_max, words.tokens),
    input: hint(listed.input, words.kinds),
    output: hint(listed.output, words.kinds),
    capabilities: hint(listed.capabilities, words.capabilities),
    released: hint(listed.released, format.date),
    retires: hint(listed.retires, format.date),
    successor: hint(listed.successor, String),
  };
}
