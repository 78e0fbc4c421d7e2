import { signTc3Request } from '../auth/tc3-signature.ts';
import { bearerHeader } from '../auth/upstream-credentials.ts';
import type { Provider, Target } from '../model/provider.ts';
import { createEndpoints } from '../provider-kit/openai-compatible.ts';
import { renameDeveloperRole, renameTokenCap } from '../provider-kit/shared-vendor-quirks.ts';

const CONTENT_TYPE = 'application/json';

/** Tencent Cloud's own API, which only accepts an account's keys. */
const CLOUD_URL = 'https://hunyuan.tencentcloudapi.com/';

const usesSignature = ({ credentials }: Pick<Target, 'credentials'>): boolean =>
  (credentials['secretKey'] ?? '') !== '';

const { chat = [], embeddings = [] } = createEndpoints('/v1', ['openai-chat', 'openai-embeddings']);

/**
 * Hunyuan: the OpenAI dialect with an API key, or Tencent Cloud's API with `SecretId|SecretKey`, which signs each
 * call.
 * https://cloud.tencent.com/document/product/1729/111007, https://cloud.tencent.com/document/api/1729/101836
 */
export const tencentHunyuan: Provider = {
  id: 'tencent-hunyuan',
  label: 'Tencent Hunyuan',
  channelType: 40,
  website: 'https://console.cloud.tencent.com/hunyuan',
  baseUrl: 'https://api.hunyuan.cloud.tencent.com',
  endpoints: {
    chat: [
      ...chat.map((endpoint) => ({ ...endpoint, serves: (target: Target) => !usesSignature(target) })),
      { format: 'hunyuan-chat', serves: usesSignature, path: CLOUD_URL, ignoresClientHeaders: true },
    ],
    embeddings: embeddings.map((endpoint) => ({ ...endpoint, serves: (target: Target) => !usesSignature(target) })),
  },
  credentials: [
    { name: 'key', required: true, placeholder: 'sk-… / SecretId' },
    { name: 'secretKey', required: false },
  ],
  options: [],
  authorize: (target) => (usesSignature(target) ? { 'content-type': CONTENT_TYPE } : bearerHeader(target)),
  sign(call, target, at) {
    if (!usesSignature(target)) return {};
    const { key: secretId = '', secretKey = '' } = target.credentials;
    return {
      ...signTc3Request(call, { secretId, secretKey, service: 'hunyuan' }, CONTENT_TYPE, at),
      'x-tc-action': 'ChatCompletions',
      'x-tc-version': '2023-09-01',
    };
  },
  quirks: [renameDeveloperRole, renameTokenCap],
  testModel: 'hunyuan-turbos-latest',
};
