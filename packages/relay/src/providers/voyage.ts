import type { Quirk } from '../model/provider.ts';
import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { refuses, spells } from '../provider-kit/quirks.ts';

/** Numbers are the rule, which it does not want to be told. */
const floatUnsaid: Quirk = (body) => {
  const { encoding_format: format, ...rest } = body;
  return format === 'float' ? rest : body;
};

/** https://docs.voyageai.com/reference */
export const voyage = openaiCompatible({
  id: 'voyage',
  label: 'Voyage AI',
  channelType: 1018,
  website: 'https://dashboard.voyageai.com',
  baseUrl: 'https://api.voyageai.com',
  surfaces: ['openai-embeddings', 'rerank'],
  quirks: [floatUnsaid, refuses('user'), spells('dimensions', 'output_dimension'), spells('top_n', 'top_k')],
  listModels: null,
});
