import { openaiCompatible } from '../openai-compatible.ts';

/** https://www.scaleway.com/en/developers/api/generative-apis */
export const scaleway = openaiCompatible({
  id: 'scaleway',
  label: 'Scaleway',
  channelType: 1026,
  website: 'https://console.scaleway.com',
  baseUrl: 'https://api.scaleway.ai',
  surfaces: ['openai-chat', 'openai-responses', 'openai-embeddings', 'openai-transcription'],
  testModel: 'mistral-small-3.2-24b-instruct-2506',
});
