import { objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';

/** https://docs.venice.ai/api-reference */
export const venice = createOpenaiCompatible({
  id: 'venice',
  label: 'Venice AI',
  channelType: 1022,
  website: 'https://venice.ai',
  baseUrl: 'https://api.venice.ai',
  root: '/api/v1',
  endpointTypes: ['openai-chat', 'openai-embeddings', 'openai-images', 'openai-speech', 'openai-transcription'],
  testModel: 'venice-uncensored',
  // The billing endpoint refuses inference-only keys.
  readBalance: {
    path: () => '/api/v1/api_keys/rate_limits',
    read: (body) => toMicroUsd(objectOf(objectOf(objectOf(body)['data'])['balances'])['USD']),
  },
});
