import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, renameField } from '../provider-kit/shared-vendor-quirks.ts';

/** https://api.jina.ai/docs */
export const jina = createOpenaiCompatible({
  id: 'jina',
  label: 'Jina AI',
  channelType: 47,
  website: 'https://jina.ai',
  baseUrl: 'https://api.jina.ai',
  endpointTypes: ['openai-embeddings', 'rerank'],
  quirks: [dropFields('user'), renameField('encoding_format', 'embedding_type')],
  listModels: null,
});
