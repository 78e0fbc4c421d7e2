import { type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { GeneratedImage, ImagesRequest } from '../../model/neutral-requests.ts';
import { pickDefinedFields, pickUncoveredFields } from '../openai/defined-fields.ts';
import { createImageReader } from './image-usage.ts';
import { dropImageFields } from './openai-images/image-fields.ts';

/** Fields that affect an image's price; the client sets them by its own names only. */
const priced = new Set(['image_size', 'num_images', 'sync_mode']);

/**
 * Images of fal's models, whose inputs and outputs are similar.
 * https://docs.fal.ai/model-endpoints/synchronous-requests
 */
export const falImages: UpstreamDialect = {
  id: 'fal-images',
  operation: 'images',
  readNonStreaming: createImageReader(listUrls),
  upstreamCodecs: {
    images: { encodeRequest, decodeResponse: (answer): GeneratedImage[] => listUrls(answer).map(toImage) },
  },
};

/** Encodes a request. Each model has its own fields, so that unknown fields are passed on. */
function encodeRequest(asked: ImagesRequest, _model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, size, fileFormat, delivery, more } = asked;
  dropImageFields(asked, ['quality', 'style', 'background'], dropped);
  for (const name of Object.keys(more)) if (priced.has(name)) dropped.push(name);
  return pickDefinedFields({
    prompt,
    num_images: count === 1 ? undefined : count,
    image_size: size,
    output_format: fileFormat,
    // Returns the image itself instead of its URL.
    sync_mode: delivery === 'base64' ? true : undefined,
    ...pickUncoveredFields(priced, more),
  });
}

function listUrls({ images, image }: JsonObject): string[] {
  return [...listOf(images), image].flatMap((picture) => textOf(objectOf(picture)['url']) ?? []);
}

function toImage(url: string): GeneratedImage {
  const data = /^data:[^,]{0,100};base64,/.exec(url);
  return data === null ? { url } : { base64: url.slice(data[0].length) };
}
