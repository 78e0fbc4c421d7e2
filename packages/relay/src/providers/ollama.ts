import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** Its cloud, or a server of one's own, which asks for no key. https://docs.ollama.com/api/openai-compatibility */
export const ollama = createOpenaiCompatible({
  id: 'ollama',
  label: 'Ollama',
  channelType: 39,
  website: 'https://ollama.com',
  baseUrl: 'https://ollama.com',
  endpointTypes: ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-completions', 'openai-embeddings'],
  credentials: [{ name: 'key', required: false }],
});
