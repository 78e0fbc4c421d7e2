import { listOf, objectOf, textOf } from '../../json/json.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { encodeForm } from '../../wire/multipart.ts';
import { createImageDialect, dropImageFields, findNearestRatio, withheldImageError } from './image-dialect.ts';

const ratios = '1x1 1x3 3x1 1x2 2x1 9x16 16x9 10x16 16x10 2x3 3x2 3x4 4x3 4x5 5x4'.split(' ');
const known = ['seed', 'aspect_ratio', 'magic_prompt', 'negative_prompt', 'color_palette', 'style_codes', 'style_type'];
const speeds: ReadonlyMap<string, string> = new Map([
  ['low', 'TURBO'],
  ['medium', 'DEFAULT'],
  ['standard', 'DEFAULT'],
  ['high', 'QUALITY'],
  ['hd', 'QUALITY'],
]);
/** Suffix of a model name, by which operators price each speed. */
const speedAtEnd = /-(flash|turbo|default|quality)$/;

/**
 * Ideogram's `/v1/ideogram-v3/generate`, which returns URLs.
 * https://developer.ideogram.ai/api-reference/api-reference/generate-v3
 */
export const ideogramImages = createImageDialect({
  id: 'ideogram-images',
  encodeRequest,
  // A moderated image has no URL, and is billed: https://developer.ideogram.ai/ideogram-api/errors
  listImages: (answer) => listOf(answer['data']).flatMap((image) => textOf(objectOf(image)['url']) ?? []),
  countBilled: (answer) => listOf(answer['data']).filter(isBilled).length,
  findError(answer, images) {
    return images.length === 0 && listOf(answer['data']).some(isWithheld) ? withheldImageError() : undefined;
  },
  pack: encodeForm,
});

function isWithheld(image: unknown): boolean {
  return objectOf(image)['is_image_safe'] === false;
}

function isBilled(image: unknown): boolean {
  return isWithheld(image) || textOf(objectOf(image)['url']) !== undefined;
}

/** Returns the model's name in the URL. */
export function toIdeogramEndpoint(model: string): string {
  return model.replace(speedAtEnd, '');
}

function encodeRequest(asked: ImagesRequest, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, quality, more } = asked;
  const ownSpeed = speedAtEnd.exec(model)?.[1]?.toUpperCase();
  const wantedSpeed = quality && speeds.get(quality);
  if (ownSpeed !== undefined || wantedSpeed === undefined) dropImageFields(asked, ['quality'], dropped);
  dropImageFields(asked, ['style', 'background', 'response_format', 'output_format', 'size'], dropped);
  return pickDefinedFields({
    prompt,
    num_images: count === 1 ? undefined : count,
    aspect_ratio: findNearestRatio(asked, ratios),
    rendering_speed: ownSpeed ?? wantedSpeed,
    ...pickKnownFields(known, more, dropped),
  });
}
