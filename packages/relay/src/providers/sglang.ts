import { createSelfHostedServer } from '../provider-kit/self-hosted-server-restrictions.ts';

/** https://docs.sglang.io/docs/basic_usage/openai_api */
export const sglang = createSelfHostedServer({
  id: 'sglang',
  label: 'SGLang',
  channelType: 1029,
  website: 'https://docs.sglang.io',
  endpointTypes: ['openai-chat', 'openai-completions', 'openai-embeddings'],
});
