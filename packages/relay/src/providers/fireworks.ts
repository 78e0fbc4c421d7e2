import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://docs.fireworks.ai/api-reference/introduction */
export const fireworks = createOpenaiCompatible({
  id: 'fireworks',
  label: 'Fireworks AI',
  channelType: 1003,
  website: 'https://app.fireworks.ai',
  baseUrl: 'https://api.fireworks.ai',
  root: '/inference/v1',
  endpointTypes: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'openai-completions',
    'openai-embeddings',
    'rerank',
  ],
  testModel: 'accounts/fireworks/models/gpt-oss-20b',
  // The account is suspended, usually because of an unpaid bill.
  // https://docs.fireworks.ai/guides/inference-error-codes
  readError: (status) => (status === 412 ? 'out-of-credit' : undefined),
});
