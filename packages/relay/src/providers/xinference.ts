import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { openaiSurfaces } from '../provider-kit/openai-surfaces.ts';

/** https://inference.readthedocs.io/en/latest/reference */
export const xinference = openaiCompatible({
  id: 'xinference',
  label: 'Xinference',
  channelType: 1028,
  website: 'https://inference.readthedocs.io',
  surfaces: ['openai-chat', ...openaiSurfaces.filter((surface) => surface !== 'openai-moderation'), 'rerank'],
  credentials: [{ name: 'key', required: false }],
});
