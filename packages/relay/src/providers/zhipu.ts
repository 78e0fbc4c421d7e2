import { errorCodes } from '../error-codes.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { jsonWithoutSchema, noEffortIsOff, within } from '../quirks.ts';

/**
 * Abroad `https://api.z.ai/api/paas/v4`, of a coding plan `…/api/coding/paas/v4`.
 * https://docs.bigmodel.cn/api-reference, codes: https://docs.z.ai/api-reference/api-code
 */
export const zhipu = openaiCompatible({
  id: 'zhipu',
  label: 'Zhipu (GLM, Z.ai)',
  channelType: 16,
  website: 'https://open.bigmodel.cn',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  root: '',
  surfaces: ['openai-chat', 'openai-embeddings', 'openai-images', 'rerank'],
  listModels: null,
  testModel: 'glm-4.7-flash',
  // Thinking: https://docs.bigmodel.cn/cn/guide/capabilities/thinking
  quirks: [jsonWithoutSchema, noEffortIsOff, within('temperature', 0, 1), within('top_p', 0.01, 1)],
  readError: errorCodes({
    1000: 'unauthorised',
    1001: 'unauthorised',
    1002: 'unauthorised',
    1003: 'unauthorised',
    1004: 'unauthorised',
    1110: 'unauthorised',
    1111: 'unauthorised',
    1112: 'unauthorised',
    1121: 'unauthorised',
    1113: 'out-of-credit',
    1210: 'rejected',
    1214: 'rejected',
    1261: 'rejected',
    1301: 'rejected',
    1302: 'rate-limited',
    1303: 'rate-limited',
    1304: 'rate-limited',
    1305: 'rate-limited',
    1308: 'rate-limited',
    1309: 'out-of-credit',
    1310: 'rate-limited',
  }),
});
