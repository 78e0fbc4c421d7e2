import { createSelfHostedServer } from '../provider-kit/self-hosted-server-restrictions.ts';

/** https://lmstudio.ai/docs/developer/openai-compat */
export const lmStudio = createSelfHostedServer({
  id: 'lm-studio',
  label: 'LM Studio',
  channelType: 1011,
  website: 'https://lmstudio.ai',
  endpointTypes: ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-completions', 'openai-embeddings'],
});
