import { openaiCompatible } from '../openai-compatible.ts';

/** https://platform.sensenova.cn/docs, in OpenAI's dialect */
export const sensenova = openaiCompatible({
  id: 'sensenova',
  label: 'SenseNova',
  channelType: 1112,
  website: 'https://platform.sensenova.cn',
  baseUrl: 'https://api.sensenova.cn',
  root: '/compatible-mode/v2',
  listModels: null,
  testModel: 'SenseChat-Turbo',
});
