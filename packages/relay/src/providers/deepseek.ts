import { listOf, objectOf } from '../json/json.ts';
import { createEndpoints, createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';
import {
  disableThinkingWithoutEffort,
  dropFields,
  dropJsonSchema,
  forModels,
  limitToOneChoice,
} from '../provider-kit/shared-vendor-quirks.ts';

/**
 * https://api-docs.deepseek.com/api/create-chat-completion, for Claude Code:
 * https://api-docs.deepseek.com/guides/anthropic_api
 */
export const deepseek = createOpenaiCompatible({
  id: 'deepseek',
  label: 'DeepSeek',
  channelType: 28,
  website: 'https://platform.deepseek.com',
  baseUrl: 'https://api.deepseek.com',
  endpoints: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages' },
    ],
    // Fill-in-the-middle completions. https://api-docs.deepseek.com/api/create-completion
    ...createEndpoints('/beta', ['openai-completions']),
  },
  testModel: 'deepseek-flash',
  quirks: [
    limitToOneChoice,
    dropJsonSchema,
    // https://api-docs.deepseek.com/guides/thinking_mode
    disableThinkingWithoutEffort,
    // https://api-docs.deepseek.com/guides/reasoning_model
    forModels(/^deepseek-reasoner/, dropFields('logprobs', 'top_logprobs')),
  ],
  // One entry per currency. https://api-docs.deepseek.com/api/get-user-balance
  readBalance: {
    path: () => '/user/balance',
    read: (body) =>
      toMicroUsd(
        listOf(objectOf(body)['balance_infos'])
          .map(objectOf)
          .find(({ currency }) => currency === 'USD')?.['total_balance'],
      ),
  },
});
