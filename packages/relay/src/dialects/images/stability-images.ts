import { garbledError } from '../../errors/upstream-error.ts';
import { textOf } from '../../json/json.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { encodeForm } from '../../wire/multipart.ts';
import {
  createImageDialect,
  dropImageFields,
  findNearestRatio,
  requireSingleImage,
  withheldImageError,
} from './image-dialect.ts';

const ratios = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'];
const known = ['negative_prompt', 'seed', 'style_preset', 'cfg_scale', 'aspect_ratio'];
/** Models with their own URL; those of the third generation share one. */
const ownEndpointModel = /^(?:stable-image-)?(core|ultra)$/;

/**
 * Stability's `/v2beta/stable-image/generate/…`: one image per request.
 * https://platform.stability.ai/docs/api-reference
 */
export const stabilityImages = createImageDialect({
  id: 'stability-images',
  encodeRequest,
  listImages: ({ image }) => [textOf(image) ?? []].flat(),
  toImage: (base64) => ({ base64 }),
  findError({ finish_reason }, images) {
    // A moderated image arrives blurred, and is billed as a "successful generation".
    if (finish_reason === 'CONTENT_FILTERED') return withheldImageError();
    return images.length === 0 ? garbledError('The upstream returned no image.') : undefined;
  },
  pack: encodeForm,
});

/** Returns the last segment of the URL. */
export function toStabilityEndpoint(model: string): string {
  return ownEndpointModel.exec(model)?.[1] ?? 'sd3';
}

function encodeRequest(asked: ImagesRequest, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, fileFormat, delivery, more } = asked;
  requireSingleImage(asked);
  dropImageFields(asked, ['quality', 'style', 'background', 'size'], dropped);
  if (delivery === 'url') dropped.push('response_format');
  return pickDefinedFields({
    prompt,
    model: ownEndpointModel.test(model) || model === 'sd3' ? undefined : model,
    aspect_ratio: findNearestRatio(asked, ratios),
    output_format: fileFormat,
    ...pickKnownFields(known, more, dropped),
  });
}
