import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * SambaNova. Its Messages and Responses support only a few models, so that these dialects are translated.
 * https://docs.sambanova.ai/docs/en/features/openai-compatibility
 */
export const sambanova = createOpenaiCompatible({
  id: 'sambanova',
  label: 'SambaNova',
  channelType: 1005,
  website: 'https://cloud.sambanova.ai',
  baseUrl: 'https://api.sambanova.ai',
  endpointTypes: [
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-transcription',
    'openai-translation',
  ],
  testModel: 'Meta-Llama-3.1-8B-Instruct',
});
