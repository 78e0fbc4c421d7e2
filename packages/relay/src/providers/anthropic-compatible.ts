import { createAuthOption, customSignIn } from '../auth/upstream-credentials.ts';
import type { Provider } from '../model/provider.ts';
import { readOpenaiModelIds } from '../provider-kit/passthrough-and-account-requests.ts';
import {
  anyServerUrlsOption,
  dropControlFields,
  findAddressForAnyServer,
} from '../provider-kit/self-hosted-server-restrictions.ts';

/** Any server with Anthropic's dialect: https://docs.anthropic.com/en/api/messages */
export const anthropicCompatible: Provider = {
  id: 'anthropic-compatible',
  label: 'Custom (Anthropic compatible)',
  channelType: 1020,
  website: '',
  endpoints: { chat: [{ format: 'anthropic-messages', path: '/v1/messages' }] },
  credentials: [{ name: 'key', required: false }],
  options: [createAuthOption(['bearer', 'x-api-key']), anyServerUrlsOption],
  quirks: [dropControlFields],
  findOperatorData: findAddressForAnyServer,
  headers: { 'anthropic-version': '2023-06-01' },
  authorize: customSignIn.authorize,
  listModels: { path: () => '/v1/models?limit=1000', read: readOpenaiModelIds },
};
