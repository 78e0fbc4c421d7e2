import { bearerHeader } from '../auth/upstream-credentials.ts';
import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import type { Provider } from '../model/provider.ts';

/**
 * Coze. In China, the base URL is `https://api.coze.cn`. A model is `coze-` and the agent's id.
 * https://www.coze.com/docs/developer_guides/chat_v3
 */
export const coze: Provider = {
  id: 'coze',
  label: 'Coze',
  channelType: 38,
  website: 'https://www.coze.com',
  baseUrl: 'https://api.coze.com',
  endpoints: { chat: [{ format: 'coze-chat', path: '/v3/chat' }] },
  credentials: [{ name: 'key', required: true, placeholder: 'pat_…' }],
  options: [],
  authorize: bearerHeader,
  // Codes in responses of status 200. https://www.coze.com/docs/developer_guides/coze_error_codes
  readError: createErrorCodeReader({
    4000: 'rejected',
    4013: 'rate-limited',
    4028: 'out-of-credit',
    4100: 'unauthorised',
    4101: 'unauthorised',
    4200: 'rejected',
  }),
};
