import { errorCodes } from '../error-codes.ts';
import { openaiCompatible } from '../openai-compatible.ts';

/**
 * The second version of its API, whose keys begin with `bce-v3/`. Keys of the first, `APIKey|SecretKey`, buy tokens that
 * it does not take.
 * https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb, codes: https://cloud.baidu.com/doc/qianfan-api/s/Om9b4yj3w
 */
export const baidu = openaiCompatible({
  id: 'baidu',
  label: 'Baidu (Qianfan)',
  channelType: 15,
  website: 'https://console.bce.baidu.com/qianfan',
  baseUrl: 'https://qianfan.baidubce.com',
  root: '/v2',
  surfaces: ['openai-chat', 'openai-embeddings', 'openai-images', 'rerank'],
  credentials: [{ name: 'key', required: true, placeholder: 'bce-v3/…' }],
  testModel: 'ernie-4.5-turbo-128k',
  // With status 401: the key may not use this model, or there is none.
  readError: errorCodes({ invalid_model: 'garbled', no_parameter_permission: 'rejected' }),
});
