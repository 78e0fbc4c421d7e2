import { bearerHeader } from '../auth/upstream-credentials.ts';
import { startsFromImage } from '../exchange/dialect-registry.ts';
import { objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** https://docs.dev.runwayml.com/api/ */
export const runway: Provider = {
  id: 'runway',
  label: 'Runway',
  channelType: 1209,
  website: 'https://dev.runwayml.com',
  baseUrl: 'https://api.dev.runwayml.com',
  endpoints: {
    videos: [
      {
        format: 'runway-videos',
        path: (_target, request) => `/v1/${startsFromImage(request) ? 'image_to_video' : 'text_to_video'}`,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'gen4_turbo',
  authorize: (target) => ({ ...bearerHeader(target), 'x-runway-version': '2024-11-06' }),
  // Errors have a message and no code.
  readError: (status, body) =>
    status === 400 && /not have enough credits/.test(textOf(objectOf(body)['error']) ?? '')
      ? 'out-of-credit'
      : undefined,
};
