import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { TokenExchange } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * Rejects keys of API version 1, `APIKey|SecretKey`, which were exchanged for a token of a month. That version ended
 * on 2026-08-31, and version 2 doesn't accept such tokens: the key is not sent, and the error explains why.
 * https://cloud.baidu.com/doc/qianfan/s/rmse4vxp8, no new ones:
 * https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5
 */
const rejectLegacyKeys: TokenExchange = {
  request({ credentials: { key = '' } }) {
    if (!key.includes('|')) return undefined;
    throw new UpstreamError(
      'unauthorised',
      'The channel’s key is for Baidu’s first API, which ended on 2026-08-31. Create a key that begins with bce-v3/.',
      { status: 0 },
    );
  },
  read: () => undefined,
};

/**
 * API version 2, whose keys start with `bce-v3/`.
 * https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb, codes: https://cloud.baidu.com/doc/qianfan-api/s/Om9b4yj3w
 */
export const baidu = createOpenaiCompatible({
  id: 'baidu',
  label: 'Baidu (Qianfan)',
  channelType: 15,
  website: 'https://console.bce.baidu.com/qianfan',
  baseUrl: 'https://qianfan.baidubce.com',
  root: '/v2',
  endpointTypes: ['openai-chat', 'openai-embeddings', 'openai-images', 'rerank'],
  credentials: [{ name: 'key', required: true, placeholder: 'bce-v3/…' }],
  testModel: 'ernie-4.5-turbo-128k',
  imageOptions: { free: ['refer_image'] },
  accessToken: rejectLegacyKeys,
  // With status 401: the key may not use this model, or the model doesn't exist.
  readError: createErrorCodeReader({ invalid_model: 'garbled', no_parameter_permission: 'rejected' }),
});
