import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://lmstudio.ai/docs/developer/openai-compat */
export const lmStudio = createOpenaiCompatible({
  id: 'lm-studio',
  label: 'LM Studio',
  channelType: 1011,
  website: 'https://lmstudio.ai',
  endpointTypes: ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-completions', 'openai-embeddings'],
  credentials: [{ name: 'key', required: false }],
});
