import { objectOf } from '../json/json.ts';
import { microUsd } from '../json/micro-usd.ts';
import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { noEffortIsOff, ofModels, refuses, within } from '../provider-kit/quirks.ts';

/** https://platform.moonshot.cn/docs/api/chat, for Claude Code: https://platform.moonshot.cn/docs/guide/agent-support */
export const moonshot = openaiCompatible({
  id: 'moonshot',
  label: 'Moonshot AI (Kimi)',
  channelType: 29,
  website: 'https://platform.moonshot.cn',
  baseUrl: 'https://api.moonshot.cn',
  speaks: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages' },
    ],
  },
  testModel: 'moonshot-v1-8k',
  quirks: [
    // Of Kimi these are fixed. https://platform.moonshot.cn/docs/guide/kimi-k2-5-quickstart
    ofModels(/^kimi-/, refuses('temperature', 'top_p', 'n', 'presence_penalty', 'frequency_penalty')),
    // Later ones always think.
    ofModels(/^kimi-k2\.[56]/, noEffortIsOff),
    within('temperature', 0, 1),
  ],
  // In dollars abroad, in yuan in China. https://platform.moonshot.ai/docs/api/balance
  readBalance: {
    path: () => '/v1/users/me/balance',
    read: (body, { baseUrl }) =>
      baseUrl.startsWith('https://api.moonshot.ai')
        ? microUsd(objectOf(objectOf(body)['data'])['available_balance'])
        : undefined,
  },
});
