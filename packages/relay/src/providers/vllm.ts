import { createSelfHostedServer } from '../provider-kit/self-hosted-server-restrictions.ts';

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html */
export const vllm = createSelfHostedServer({
  id: 'vllm',
  label: 'vLLM',
  channelType: 1010,
  website: 'https://docs.vllm.ai',
  endpointTypes: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'openai-completions',
    'openai-embeddings',
    'openai-transcription',
    'openai-translation',
    'rerank',
  ],
});
