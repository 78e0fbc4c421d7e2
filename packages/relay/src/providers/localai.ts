import { createSelfHostedServer } from '../provider-kit/self-hosted-server-restrictions.ts';

/** https://localai.io/features */
export const localai = createSelfHostedServer({
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
});
