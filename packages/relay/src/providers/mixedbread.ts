import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { refuses, spells } from '../provider-kit/quirks.ts';

/** https://mixedbread.com/api-reference */
export const mixedbread = openaiCompatible({
  id: 'mixedbread',
  label: 'Mixedbread',
  channelType: 1027,
  website: 'https://platform.mixedbread.com',
  baseUrl: 'https://api.mixedbread.com',
  surfaces: ['openai-embeddings'],
  speaks: { rerank: [{ format: 'rerank', path: '/v1/reranking' }] },
  quirks: [
    refuses('user'),
    spells('documents', 'input'),
    spells('top_n', 'top_k'),
    spells('return_documents', 'return_input'),
  ],
  listModels: null,
});
