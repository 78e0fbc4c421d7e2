import { bearer } from '../bearer.ts';
import { sunoBody } from '../formats/suno.ts';
import type { Provider } from '../provider.ts';

/** A Suno API proxy that somebody runs. https://github.com/Suno-API/Suno-API */
export const suno: Provider = {
  id: 'suno',
  label: 'Suno (Suno-API)',
  channelType: 41,
  website: 'https://github.com/Suno-API/Suno-API',
  speaks: {
    music: [
      {
        format: 'suno',
        path: (_target, { order }) => `/suno/submit/${order?.action === 'lyrics' ? 'lyrics' : 'music'}`,
        body: sunoBody,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'suno_lyrics',
  authorize: bearer,
};
