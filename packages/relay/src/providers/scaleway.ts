import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields } from '../provider-kit/shared-vendor-quirks.ts';

/** Scaleway. Its operations and its unsupported fields: https://www.scaleway.com/en/developers/api/generative-apis */
export const scaleway = createOpenaiCompatible({
  id: 'scaleway',
  label: 'Scaleway',
  channelType: 1026,
  website: 'https://console.scaleway.com',
  baseUrl: 'https://api.scaleway.ai',
  endpointTypes: ['openai-chat', 'openai-responses', 'openai-embeddings', 'openai-transcription', 'rerank'],
  testModel: 'mistral-small-3.2-24b-instruct-2506',
  quirks: [
    dropFields(
      'audio',
      'metadata',
      'modalities',
      'prediction',
      'prompt_cache_key',
      'user',
      'safety_identifier',
      'service_tier',
      'store',
    ),
  ],
});
