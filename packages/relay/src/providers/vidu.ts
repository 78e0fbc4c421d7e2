import { startsFromImage } from '../exchange/dialect-registry.ts';
import { objectOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** Vidu. In China, the base URL is `https://api.vidu.cn`. https://platform.vidu.com/docs/introduction */
export const vidu: Provider = {
  id: 'vidu',
  label: 'Vidu',
  channelType: 1208,
  website: 'https://platform.vidu.com',
  baseUrl: 'https://api.vidu.com',
  endpoints: {
    videos: [
      {
        format: 'vidu-videos',
        path: (_target, request) => `/ent/v2/${startsFromImage(request) ? 'img2video' : 'text2video'}`,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'viduq1',
  authorize: ({ credentials }) => ({ authorization: `Token ${credentials['key'] ?? ''}` }),
  readError: (_status, body) => (objectOf(body)['reason'] === 'CreditInsufficient' ? 'out-of-credit' : undefined),
};
