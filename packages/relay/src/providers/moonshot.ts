import { objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';
import {
  clampField,
  disableThinkingWithoutEffort,
  dropFields,
  forModels,
} from '../provider-kit/shared-vendor-quirks.ts';

/**
 * https://platform.moonshot.cn/docs/api/chat, for Claude Code: https://platform.moonshot.cn/docs/guide/agent-support
 */
export const moonshot = createOpenaiCompatible({
  id: 'moonshot',
  label: 'Moonshot AI (Kimi)',
  channelType: 29,
  website: 'https://platform.moonshot.cn',
  baseUrl: 'https://api.moonshot.cn',
  endpoints: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages' },
    ],
  },
  testModel: 'moonshot-v1-8k',
  quirks: [
    // Kimi's values are fixed. https://platform.moonshot.cn/docs/guide/kimi-k2-5-quickstart
    forModels(/^kimi-/, dropFields('temperature', 'top_p', 'n', 'presence_penalty', 'frequency_penalty')),
    // Later models always think.
    forModels(/^kimi-k2\.[56]/, disableThinkingWithoutEffort),
    clampField('temperature', 0, 1),
  ],
  // USD outside China, CNY in China. https://platform.moonshot.ai/docs/api/balance
  readBalance: {
    path: () => '/v1/users/me/balance',
    read: (body, { baseUrl }) =>
      baseUrl.startsWith('https://api.moonshot.ai')
        ? toMicroUsd(objectOf(objectOf(body)['data'])['available_balance'])
        : undefined,
  },
});
