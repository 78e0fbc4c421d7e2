import { encodeMidjourneyBody, UPLOAD_PATH } from '../dialects/images/midjourney-proxy-tasks.ts';
import type { Provider } from '../model/provider.ts';

/** A self-hosted midjourney-proxy. https://github.com/novicezk/midjourney-proxy */
export const midjourney: Provider = {
  id: 'midjourney',
  label: 'Midjourney (midjourney-proxy)',
  channelType: 34,
  website: 'https://github.com/novicezk/midjourney-proxy',
  endpoints: {
    images: [{ format: 'midjourney-images', path: '/mj/submit/imagine' }],
    drawing: [
      {
        format: 'midjourney',
        path: (_target, { submission }) => `/mj/${submission?.path ?? ''}`,
        body: encodeMidjourneyBody,
      },
      { format: 'midjourney-uploads', path: `/mj/${UPLOAD_PATH}` },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'mj_imagine',
  authorize: ({ credentials }) => ({ 'mj-api-secret': credentials['key'] ?? '' }),
};
