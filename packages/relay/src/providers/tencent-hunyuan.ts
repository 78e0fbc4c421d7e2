import { openaiCompatible } from '../openai-compatible.ts';

/**
 * Its OpenAI dialect, with a key of its own. Tencent Cloud's `SecretId|SecretKey` sign calls of another API.
 * https://cloud.tencent.com/document/product/1729/111007
 */
export const tencentHunyuan = openaiCompatible({
  id: 'tencent-hunyuan',
  label: 'Tencent Hunyuan',
  channelType: 40,
  website: 'https://console.cloud.tencent.com/hunyuan',
  baseUrl: 'https://api.hunyuan.cloud.tencent.com',
  surfaces: ['openai-chat', 'openai-embeddings'],
  listModels: null,
  testModel: 'hunyuan-turbos-latest',
});
