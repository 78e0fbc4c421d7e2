import type { Provider } from '../model/provider.ts';
import { readOpenaiModelIds } from '../provider-kit/passthrough-and-account-requests.ts';

/** https://docs.anthropic.com/en/api */
export const anthropic: Provider = {
  id: 'anthropic',
  label: 'Anthropic',
  channelType: 14,
  website: 'https://console.anthropic.com',
  baseUrl: 'https://api.anthropic.com',
  endpoints: { chat: [{ format: 'anthropic-messages', path: '/v1/messages' }] },
  tokenCountEndpoints: { 'anthropic-messages': '/v1/messages/count_tokens' },
  credentials: [{ name: 'key', required: true, placeholder: 'sk-ant-…' }],
  options: [],
  testModel: 'claude-haiku-4-5',
  headers: { 'anthropic-version': '2023-06-01' },
  authorize: ({ credentials }) => ({ 'x-api-key': credentials['key'] ?? '' }),
  // The list has OpenAI's form (`data[].id`), in pages of at most a thousand.
  listModels: { path: () => '/v1/models?limit=1000', read: readOpenaiModelIds },
};
