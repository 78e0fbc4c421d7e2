import type { Provider } from '../provider.ts';

/** A midjourney-proxy that somebody runs. https://github.com/novicezk/midjourney-proxy */
export const midjourney: Provider = {
  id: 'midjourney',
  label: 'Midjourney (midjourney-proxy)',
  channelType: 34,
  website: 'https://github.com/novicezk/midjourney-proxy',
  speaks: { images: [{ format: 'midjourney-images', path: '/mj/submit/imagine' }] },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'mj_imagine',
  authorize: ({ credentials }) => ({ 'mj-api-secret': credentials['key'] ?? '' }),
};
