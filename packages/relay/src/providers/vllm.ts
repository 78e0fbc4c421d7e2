import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html */
export const vllm = createOpenaiCompatible({
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
  credentials: [{ name: 'key', required: false }],
});
