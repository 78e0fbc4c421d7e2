import { objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';

/** https://vercel.com/docs/ai-gateway */
export const vercel = createOpenaiCompatible({
  id: 'vercel',
  label: 'Vercel AI Gateway',
  channelType: 1017,
  website: 'https://vercel.com/ai-gateway',
  baseUrl: 'https://ai-gateway.vercel.sh',
  endpointTypes: ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-embeddings', 'openai-images'],
  testModel: 'openai/gpt-4o-mini',
  readBalance: { path: () => '/v1/credits', read: (body) => toMicroUsd(objectOf(body)['balance']) },
});
