import { bearerHeader } from '../auth/upstream-credentials.ts';
import { toStabilityEndpoint } from '../dialects/images/stability-images.ts';
import { numberOf, objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

const MICRO_USD_PER_CREDIT = 10_000;

/** https://platform.stability.ai/docs/api-reference */
export const stability: Provider = {
  id: 'stability',
  label: 'Stability AI',
  channelType: 37,
  website: 'https://platform.stability.ai',
  baseUrl: 'https://api.stability.ai',
  endpoints: {
    images: [
      {
        format: 'stability-images',
        path: ({ model }) => `/v2beta/stable-image/generate/${toStabilityEndpoint(model)}`,
      },
    ],
  },
  credentials: [{ name: 'key', required: true, placeholder: 'sk-…' }],
  options: [],
  testModel: 'core',
  authorize: bearerHeader,
  // 403 is a moderation refusal; a wrong key gets 401.
  readError: (status, body) =>
    status === 403 && textOf(objectOf(body)['name']) === 'content_moderation' ? 'rejected' : undefined,
  readBalance: {
    path: () => '/v1/user/balance',
    read: (body) => {
      const credits = numberOf(objectOf(body)['credits']);
      return credits === undefined ? undefined : Math.round(credits * MICRO_USD_PER_CREDIT);
    },
  },
};
