import { listOf, objectOf, textOf } from '../../json/json.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { pickDefinedFields, pickUncoveredFields } from '../../translate/pick-fields.ts';
import { createImageDialect, dropImageFields } from './image-dialect.ts';

/** Fields that the client sets by its own names only. */
const ownNames = new Set(['num_images', 'sync_mode']);

/**
 * Images of fal's models, whose inputs and outputs are similar.
 * https://docs.fal.ai/model-endpoints/synchronous-requests
 */
export const falImages = createImageDialect({
  id: 'fal-images',
  encodeRequest,
  listImages: ({ images, image }) => [...listOf(images), image].flatMap((one) => textOf(objectOf(one)['url']) ?? []),
  toImage(url) {
    const data = /^data:[^,]{0,100};base64,/.exec(url);
    return data === null ? { url } : { base64: url.slice(data[0].length) };
  },
});

/** Encodes a request. Each model has its own fields, so that unknown fields are passed on. */
function encodeRequest(asked: ImagesRequest, _model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, size, fileFormat, delivery, more } = asked;
  dropImageFields(asked, ['quality', 'style', 'background'], dropped);
  for (const name of Object.keys(more)) if (ownNames.has(name)) dropped.push(name);
  return pickDefinedFields({
    prompt,
    num_images: count === 1 ? undefined : count,
    image_size: size,
    output_format: fileFormat,
    // Returns the image itself instead of its URL.
    sync_mode: delivery === 'base64' ? true : undefined,
    ...pickUncoveredFields(ownNames, more),
  });
}
