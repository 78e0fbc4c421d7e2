import { numberOf, objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields } from '../provider-kit/quirks.ts';

/** Micro-USD per unit; 1,000 units are one USD. */
const MICRO_USD_PER_UNIT = 1_000;

/** https://www.recraft.ai/docs/api-reference/endpoints */
export const recraft = createOpenaiCompatible({
  id: 'recraft',
  label: 'Recraft',
  channelType: 51,
  website: 'https://www.recraft.ai/profile/api',
  baseUrl: 'https://external.api.recraft.ai',
  endpointTypes: ['openai-images'],
  listModels: null,
  testModel: 'recraftv3',
  quirks: [dropFields('quality', 'background', 'output_format', 'output_compression', 'moderation', 'user')],
  readBalance: {
    path: () => '/v1/users/me',
    read: (body) => {
      const units = numberOf(objectOf(body)['credits']);
      return units === undefined ? undefined : Math.round(units * MICRO_USD_PER_UNIT);
    },
  },
});
