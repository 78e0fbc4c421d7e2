import { openaiCompatible } from '../openai-compatible.ts';

/**
 * The Agent API, which is OpenAI's Responses; its chat completions have been retired.
 * https://docs.perplexity.ai/docs/agent-api/openai-compatibility
 */
export const perplexity = openaiCompatible({
  id: 'perplexity',
  label: 'Perplexity',
  channelType: 1001,
  website: 'https://console.perplexity.ai',
  baseUrl: 'https://api.perplexity.ai',
  surfaces: ['openai-responses'],
  testModel: 'perplexity/sonar',
  listModels: null,
});
