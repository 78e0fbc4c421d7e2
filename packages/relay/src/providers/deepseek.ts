import { listOf, objectOf } from '../json/json.ts';
import { microUsd } from '../json/micro-usd.ts';
import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { surfacesBelow } from '../provider-kit/openai-surfaces.ts';
import { jsonWithoutSchema, noEffortIsOff, ofModels, oneChoice, refuses } from '../provider-kit/quirks.ts';

/** https://api-docs.deepseek.com/api/create-chat-completion, for Claude Code: https://api-docs.deepseek.com/guides/anthropic_api */
export const deepseek = openaiCompatible({
  id: 'deepseek',
  label: 'DeepSeek',
  channelType: 28,
  website: 'https://platform.deepseek.com',
  baseUrl: 'https://api.deepseek.com',
  speaks: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages' },
    ],
    // Filling in the middle. https://api-docs.deepseek.com/api/create-completion
    ...surfacesBelow('/beta', ['openai-completions']),
  },
  testModel: 'deepseek-flash',
  quirks: [
    oneChoice,
    jsonWithoutSchema,
    // https://api-docs.deepseek.com/guides/thinking_mode
    noEffortIsOff,
    // https://api-docs.deepseek.com/guides/reasoning_model
    ofModels(/^deepseek-reasoner/, refuses('logprobs', 'top_logprobs')),
  ],
  // One entry for each currency. https://api-docs.deepseek.com/api/get-user-balance
  readBalance: {
    path: () => '/user/balance',
    read: (body) =>
      microUsd(
        listOf(objectOf(body)['balance_infos'])
          .map(objectOf)
          .find(({ currency }) => currency === 'USD')?.['total_balance'],
      ),
  },
});
