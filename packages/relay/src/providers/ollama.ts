import { createSelfHostedServer } from '../provider-kit/self-hosted-server-restrictions.ts';

/** Ollama's cloud, or a self-hosted server without keys. https://docs.ollama.com/api/openai-compatibility */
export const ollama = createSelfHostedServer({
  id: 'ollama',
  label: 'Ollama',
  channelType: 39,
  website: 'https://ollama.com',
  baseUrl: 'https://ollama.com',
  endpointTypes: ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-completions', 'openai-embeddings'],
});
