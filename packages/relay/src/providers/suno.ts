import { bearerHeader } from '../auth/upstream-credentials.ts';
import { encodeSunoBody } from '../dialects/music/suno.ts';
import type { Provider } from '../model/provider.ts';

/** A self-hosted Suno API proxy. https://github.com/Suno-API/Suno-API */
export const suno: Provider = {
  id: 'suno',
  label: 'Suno (Suno-API)',
  channelType: 41,
  website: 'https://github.com/Suno-API/Suno-API',
  endpoints: {
    music: [
      {
        format: 'suno',
        path: (_target, { submission }) => `/suno/submit/${submission?.action === 'lyrics' ? 'lyrics' : 'music'}`,
        body: encodeSunoBody,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'suno_lyrics',
  authorize: bearerHeader,
};
