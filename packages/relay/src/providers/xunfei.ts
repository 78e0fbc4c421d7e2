import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * The key is a password of the HTTP API, or the three parts of a WebSocket key, which the HTTP API also accepts.
 * https://www.xfyun.cn/doc/spark/HTTP调用文档.html, https://docs.iflyaicloud.com/doc/237
 */
export const xunfei = createOpenaiCompatible({
  id: 'xunfei',
  label: 'iFlytek Spark',
  channelType: 18,
  website: 'https://console.xfyun.cn',
  baseUrl: 'https://spark-api-open.xf-yun.com',
  // The X models reason, and have their own URL. https://www.xfyun.cn/doc/spark/X1http.html
  endpoints: {
    chat: [
      { format: 'openai-chat', path: ({ model }) => `/${/^(spark-)?x/i.test(model) ? 'v2' : 'v1'}/chat/completions` },
    ],
  },
  credentials: [
    { name: 'key', required: true, placeholder: 'APIPassword' },
    { name: 'apiSecret', required: false },
    { name: 'apiKey', required: false },
  ],
  authorize: ({ credentials: { key = '', apiSecret, apiKey } }) => ({
    authorization: `Bearer ${apiSecret && apiKey ? `${apiKey}:${apiSecret}` : key}`,
  }),
  listModels: null,
  testModel: 'lite',
  // https://www.xfyun.cn/doc/spark/接口说明.html
  readError: createErrorCodeReader({
    10007: 'rate-limited',
    10013: 'rejected',
    10014: 'rejected',
    10019: 'rejected',
    10163: 'rejected',
    10907: 'rejected',
    11200: 'out-of-credit',
    11201: 'rate-limited',
    11202: 'rate-limited',
    11203: 'rate-limited',
  }),
});
