import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://localai.io/features */
export const localai = createOpenaiCompatible({
  id: 'localai',
  label: 'LocalAI',
  channelType: 1030,
  website: 'https://localai.io',
  endpointTypes: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'openai-completions',
    'openai-embeddings',
    'openai-images',
    'openai-speech',
    'openai-transcription',
    'rerank',
  ],
  credentials: [{ name: 'key', required: false }],
  imageOptions: null,
});
