import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields } from '../provider-kit/shared-vendor-quirks.ts';

/**
 * https://inference-docs.cerebras.ai/api-reference, unsupported fields:
 * https://inference-docs.cerebras.ai/resources/openai
 */
export const cerebras = createOpenaiCompatible({
  id: 'cerebras',
  label: 'Cerebras',
  channelType: 1004,
  website: 'https://cloud.cerebras.ai',
  baseUrl: 'https://api.cerebras.ai',
  endpointTypes: ['openai-chat', 'openai-completions'],
  testModel: 'llama3.1-8b',
  quirks: [dropFields('frequency_penalty', 'presence_penalty', 'logit_bias')],
});
