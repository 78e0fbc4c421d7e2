import { numberOf, objectOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';
import { encodeModelInPath } from '../provider-kit/upstream-paths.ts';

const MICRO_USD_PER_CREDIT = 10_000;

/** https://docs.bfl.ai */
export const bfl: Provider = {
  id: 'bfl',
  label: 'Black Forest Labs (FLUX)',
  channelType: 1204,
  website: 'https://dashboard.bfl.ai',
  baseUrl: 'https://api.bfl.ai',
  endpoints: { images: [{ format: 'bfl-images', path: ({ model }) => `/v1/${encodeModelInPath(model)}` }] },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'flux-2-klein-4b',
  authorize: ({ credentials }) => ({ 'x-key': credentials['key'] ?? '' }),
  readBalance: {
    path: () => '/v1/credits',
    read: (body) => {
      const credits = numberOf(objectOf(body)['credits']);
      return credits === undefined ? undefined : Math.round(credits * MICRO_USD_PER_CREDIT);
    },
  },
};
