import { ideogramModel } from '../formats/ideogram-images.ts';
import { modelInPath } from '../model-in-path.ts';
import type { Provider } from '../provider.ts';

/** https://developer.ideogram.ai/api-reference */
export const ideogram: Provider = {
  id: 'ideogram',
  label: 'Ideogram',
  channelType: 1203,
  website: 'https://ideogram.ai/manage-api',
  baseUrl: 'https://api.ideogram.ai',
  speaks: {
    images: [
      {
        format: 'ideogram-images',
        path: ({ model }) => `/v1/${modelInPath(ideogramModel(model))}/generate`,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'ideogram-v3-turbo',
  authorize: ({ credentials }) => ({ 'api-key': credentials['key'] ?? '' }),
  // What its filter refuses; nothing is wrong with the request's form, which is 400.
  readError: (status) => (status === 422 ? 'rejected' : undefined),
};
