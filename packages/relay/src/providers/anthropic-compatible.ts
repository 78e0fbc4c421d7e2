import { openaiModelIds } from '../model-list.ts';
import type { Provider } from '../provider.ts';

/** Any server that speaks Anthropic's dialect: https://docs.anthropic.com/en/api/messages */
export const anthropicCompatible: Provider = {
  id: 'anthropic-compatible',
  label: 'Custom (Anthropic compatible)',
  channelType: 1020,
  website: '',
  speaks: { chat: [{ format: 'anthropic-messages', path: '/v1/messages' }] },
  credentials: [{ name: 'key', required: false }],
  options: [{ name: 'auth', required: false, choices: ['bearer', 'x-api-key'] }],
  headers: { 'anthropic-version': '2023-06-01' },
  authorize({ credentials, options }) {
    const key = credentials['key'];
    if (!key) return {};
    return options['auth'] === 'x-api-key' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
  },
  listModels: { path: () => '/v1/models?limit=1000', read: openaiModelIds },
};
