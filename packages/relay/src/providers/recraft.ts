import { numberOf, objectOf } from '../json/json.ts';
import { keepImageListPrice } from '../provider-kit/keep-image-list-price.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, forModels } from '../provider-kit/shared-vendor-quirks.ts';

/** Micro-USD per unit; 1,000 units are one USD. */
const MICRO_USD_PER_UNIT = 1_000;

const free = ['substyle', 'controls', 'text_layout', 'random_seed'];
/**
 * Styles whose images are raster images at any model: a vector costs twice as much. A style of the account's own may be
 * one of vectors. https://www.recraft.ai/docs/api-reference/appendix, "List of styles"
 */
const rasterStyles = ['any', 'realistic_image', 'digital_illustration', 'logo_raster'];

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
  imageOptions: null,
  quirks: [
    forModels(/vector/, keepImageListPrice({ free: [...free, 'style_id'] })),
    forModels(/^(?!.*vector)/, keepImageListPrice({ free, listPriceValues: { style: rasterStyles } })),
    dropFields('quality', 'background', 'output_format', 'output_compression', 'moderation', 'user'),
  ],
  readBalance: {
    path: () => '/v1/users/me',
    read: (body) => {
      const units = numberOf(objectOf(body)['credits']);
      return units === undefined ? undefined : Math.round(units * MICRO_USD_PER_UNIT);
    },
  },
});
