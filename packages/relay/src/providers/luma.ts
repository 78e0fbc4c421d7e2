import { bearerHeader } from '../auth/upstream-credentials.ts';
import type { Provider } from '../model/provider.ts';

/** https://docs.lumalabs.ai/docs/video-generation */
export const luma: Provider = {
  id: 'luma',
  label: 'Luma Dream Machine',
  channelType: 1207,
  website: 'https://lumalabs.ai/api/keys',
  baseUrl: 'https://api.lumalabs.ai',
  endpoints: { videos: [{ format: 'luma-videos', path: '/dream-machine/v1/generations' }] },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'ray-flash-2',
  authorize: bearerHeader,
};
