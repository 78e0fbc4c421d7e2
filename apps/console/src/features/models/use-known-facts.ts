import type { ModelFacts } from '@switchyard/contract/models';
import { useTranslation } from 'react-i18next';
import type { Fact } from '../../ui/facts.tsx';
import { useFormat } from '../../ui/use-format.ts';

/** What is known of a model beside its prices, in words. */
export function useKnownFacts(facts: ModelFacts): Fact[] {
  const { t } = useTranslation('models');
  const format = useFormat();
  const tokens = (count: number) => t('tokens', { tokens: format.number(count) });
  const kinds = (list: readonly (keyof typeof kindKeys)[]) =>
    list.map((kind) => t(kindKeys[kind])).join(', ');
  const found: Fact[] = [];
  if (facts.context_length !== undefined) found.push([t('known.context'), tokens(facts.context_length)]);
  if (facts.output_max !== undefined) found.push([t('known.output_max'), tokens(facts.output_max)]);
  if (facts.input !== undefined) found.push([t('known.input'), kinds(facts.input)]);
  if (facts.output !== undefined) found.push([t('known.output'), kinds(facts.output)]);
  if (facts.capabilities !== undefined && facts.capabilities.length > 0)
    found.push([
      t('known.capabilities'),
      facts.capabilities.map((capability) => t(capabilityKeys[capability])).join(', '),
    ]);
  if (facts.released !== undefined) found.push([t('known.released'), format.date(facts.released)]);
  if (facts.retires !== undefined) found.push([t('known.retires'), format.date(facts.retires)]);
  else if (facts.deprecated === true) found.push([t('deprecated'), t('deprecatedByVendor')]);
  if (facts.successor !== undefined) found.push([t('known.successor'), facts.successor]);
  return found;
}

const kindKeys = {
  text: 'kind.text',
  image: 'kind.image',
  audio: 'kind.audio',
  video: 'kind.video',
  file: 'kind.file',
  embedding: 'kind.embedding',
} as const;

const capabilityKeys = {
  tools: 'capability.tools',
  reasoning: 'capability.reasoning',
  'json-schema': 'capability.json-schema',
  'web-search': 'capability.web-search',
} as const;
