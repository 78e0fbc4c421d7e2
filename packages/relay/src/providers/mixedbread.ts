import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, renameField } from '../provider-kit/shared-vendor-quirks.ts';

/** https://mixedbread.com/api-reference */
export const mixedbread = createOpenaiCompatible({
  id: 'mixedbread',
  label: 'Mixedbread',
  channelType: 1027,
  website: 'https://platform.mixedbread.com',
  baseUrl: 'https://api.mixedbread.com',
  endpointTypes: ['openai-embeddings'],
  endpoints: { rerank: [{ format: 'rerank', path: '/v1/reranking' }] },
  quirks: [
    dropFields('user'),
    renameField('documents', 'input'),
    renameField('top_n', 'top_k'),
    renameField('return_documents', 'return_input'),
  ],
  listModels: null,
});
