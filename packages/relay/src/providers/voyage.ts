import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, renameField } from '../provider-kit/shared-vendor-quirks.ts';

/** Removes the default encoding (numbers), which the vendor refuses as an explicit value. */
const dropDefaultEncoding: Quirk = (body) => {
  const { encoding_format: format, ...rest } = body;
  return format === 'float' ? rest : body;
};

/** https://docs.voyageai.com/reference */
export const voyage = createOpenaiCompatible({
  id: 'voyage',
  label: 'Voyage AI',
  channelType: 1018,
  website: 'https://dashboard.voyageai.com',
  baseUrl: 'https://api.voyageai.com',
  endpointTypes: ['openai-embeddings', 'rerank'],
  quirks: [
    dropDefaultEncoding,
    dropFields('user'),
    renameField('dimensions', 'output_dimension'),
    renameField('top_n', 'top_k'),
  ],
  listModels: null,
});
