import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { disableThinkingWithoutEffort } from '../provider-kit/shared-vendor-quirks.ts';

/** https://platform.xiaomimimo.com/#/docs/api/text-generation/openai-api, …/anthropic-api */
export const mimo = createOpenaiCompatible({
  id: 'mimo',
  label: 'Xiaomi MiMo',
  channelType: 1105,
  website: 'https://platform.xiaomimimo.com',
  baseUrl: 'https://api.xiaomimimo.com',
  endpoints: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages' },
    ],
  },
  quirks: [disableThinkingWithoutEffort],
  testModel: 'mimo-v2-flash',
});
