import { toIdeogramEndpoint } from '../dialects/images/ideogram-images.ts';
import type { Provider } from '../model/provider.ts';
import { encodeModelInPath } from '../provider-kit/upstream-paths.ts';

/** https://developer.ideogram.ai/api-reference */
export const ideogram: Provider = {
  id: 'ideogram',
  label: 'Ideogram',
  channelType: 1203,
  website: 'https://ideogram.ai/manage-api',
  baseUrl: 'https://api.ideogram.ai',
  endpoints: {
    images: [
      {
        format: 'ideogram-images',
        path: ({ model }) => `/v1/${encodeModelInPath(toIdeogramEndpoint(model))}/generate`,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'ideogram-v3-turbo',
  authorize: ({ credentials }) => ({ 'api-key': credentials['key'] ?? '' }),
  // 422 is a content filter's refusal; malformed requests get 400.
  readError: (status) => (status === 422 ? 'rejected' : undefined),
};
