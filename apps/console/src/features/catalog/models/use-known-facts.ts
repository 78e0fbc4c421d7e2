import type { ModelFacts } from '@switchyard/contract/catalog/models';
import { useTranslation } from 'react-i18next';
import { useFactWords } from '../../../ui/display/fact-words.ts';
import type { Fact } from '../../../ui/display/facts.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Returns a model's facts other than prices, in words. */
export function useKnownFacts(facts: ModelFacts): Fact[] {
  const { t } = useTranslation('models');
  const format = useFormat();
  const words = useFactWords();
  const found: Fact[] = [];
  if (facts.context_length !== undefined)
    found.push([t('known.context'), words.tokens(facts.context_length)]);
  if (facts.output_max !== undefined) found.push([t('known.output_max'), words.tokens(facts.output_max)]);
  if (facts.input !== undefined) found.push([t('known.input'), words.kinds(facts.input)]);
  if (facts.output !== undefined) found.push([t('known.output'), words.kinds(facts.output)]);
  if (facts.capabilities !== undefined && facts.capabilities.length > 0)
    found.push([t('known.capabilities'), words.capabilities(facts.capabilities)]);
  if (facts.released !== undefined) found.push([t('known.released'), format.date(facts.released)]);
  if (facts.retires !== undefined) found.push([t('known.retires'), format.date(facts.retires)]);
  else if (facts.deprecated === true) found.push([t('deprecated'), t('deprecatedByVendor')]);
  if (facts.successor !== undefined) found.push([t('known.successor'), facts.successor]);
  return found;
}
