import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * SenseNova, in OpenAI's dialect. Its older platform has separate keys and is at
 * `https://api.sensenova.cn/compatible-mode/v2`; use a custom channel with that address and the path
 * `/chat/completions`. https://github.com/OpenSenseNova/SenseNova6.8/blob/main/API.md
 */
export const sensenova = createOpenaiCompatible({
  id: 'sensenova',
  label: 'SenseNova',
  channelType: 1112,
  website: 'https://platform.sensenova.cn',
  baseUrl: 'https://token.sensenova.cn',
  listModels: null,
  testModel: 'sensenova-6.8-flash-lite',
});
