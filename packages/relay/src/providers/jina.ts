import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { refuses, spells } from '../provider-kit/quirks.ts';

/** https://api.jina.ai/docs */
export const jina = openaiCompatible({
  id: 'jina',
  label: 'Jina AI',
  channelType: 47,
  website: 'https://jina.ai',
  baseUrl: 'https://api.jina.ai',
  surfaces: ['openai-embeddings', 'rerank'],
  quirks: [refuses('user'), spells('encoding_format', 'embedding_type')],
  listModels: null,
});
