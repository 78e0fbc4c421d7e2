import type { ModelMetadata } from '@switchyard/contract/catalog/models';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';

type Kind = NonNullable<ModelMetadata['input'] | ModelMetadata['output']>[number];
type Capability = NonNullable<ModelMetadata['capabilities']>[number];

/** Returns functions that name a model's inputs, outputs, capabilities and token limits. */
export function useModelMetadataText() {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kind = (name: Kind): string => t(kindKeys[name]);
  const capability = (name: Capability): string => t(capabilityKeys[name]);
  return {
    kind,
    capability,
    tokens: (count: number): string => t('tokens', { tokens: format.number(count) }),
    kinds: (names: readonly Kind[]): string => names.map(kind).join(', '),
    capabilities: (names: readonly Capability[]): string => names.map(capability).join(', '),
  };
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
