import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * Its Messages and Responses know one of its models or a few, so that these are translated.
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
