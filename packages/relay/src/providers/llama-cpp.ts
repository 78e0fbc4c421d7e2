import { createSelfHostedServer, keepClientFields } from '../provider-kit/self-hosted-server-restrictions.ts';

/** https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
export const llamaCpp = createSelfHostedServer({
  id: 'llama-cpp',
  label: 'llama.cpp',
  channelType: 1012,
  website: 'https://github.com/ggml-org/llama.cpp',
  endpointTypes: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'openai-completions',
    'openai-embeddings',
    'rerank',
  ],
  tokenCountEndpoints: { 'anthropic-messages': { path: '/v1/messages/count_tokens', body: keepClientFields } },
});
