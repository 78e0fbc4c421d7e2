import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://docs.sglang.io/docs/basic_usage/openai_api */
export const sglang = createOpenaiCompatible({
  id: 'sglang',
  label: 'SGLang',
  channelType: 1029,
  website: 'https://docs.sglang.io',
  endpointTypes: ['openai-chat', 'openai-completions', 'openai-embeddings'],
  credentials: [{ name: 'key', required: false }],
});
