import { openaiCompatible } from '../openai-compatible.ts';

/** https://docs.sambanova.ai/docs/en/features/openai-compatibility */
export const sambanova = openaiCompatible({
  id: 'sambanova',
  label: 'SambaNova',
  channelType: 1005,
  website: 'https://cloud.sambanova.ai',
  baseUrl: 'https://api.sambanova.ai',
  surfaces: [
    'openai-chat',
    'anthropic-messages',
    'openai-embeddings',
    'openai-transcription',
    'openai-translation',
  ],
  testModel: 'Meta-Llama-3.1-8B-Instruct',
});
