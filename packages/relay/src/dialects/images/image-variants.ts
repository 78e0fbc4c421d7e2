import { describeType, describeValue } from '../../json/describe-value.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { pickUncoveredFields } from '../../translate/pick-fields.ts';

/**
 * Pattern that limits client values, because they become part of receipts. No documented value is longer or has other
 * characters.
 */
const plain = /^[\w.:*-]{1,24}$/;
/** Size in pixels, in any spelling that vendors accept. */
const pixels = /^(\d{2,5})[xX*](\d{2,5})$/;
/** Default size of most models that are billed by the image. */
const SIZE_DEFAULT = '1024x1024';
/** Default size of Seedream since its version 4. https://www.volcengine.com/docs/82379/1541523 */
const SEEDREAM_SIZE_DEFAULT = '2048x2048';
/** Seedream since its version 4, or an endpoint id of Volcengine, which hides the model. */
const newSeedream = /seedream(?!\D*[123](?!\d))|^ep-/i;
/** Sides of a size without pixels; gpt-image-1 has none with more tokens. */
const SIDES_DEFAULT = [1_536, 1_024] as const;
/** Fields that determine the variant, and so the price, of an image. */
const variantFields = ['size', 'quality'] as const;

/**
 * Refuses a size or a quality that is a list, a file or another value without a name: it would be charged as the
 * default, while the upstream may read it.
 * @throws InvalidRequestError
 */
export function checkImageVariant(request: JsonObject): void {
  for (const field of variantFields) {
    const value = request[field] ?? '';
    if (typeof value !== 'string')
      throw new InvalidRequestError(`${field} must be a string, not ${describeType(value)}.`, field);
    if (value !== '' && !plain.test(value))
      throw new InvalidRequestError(
        `${field} must consist of at most 24 letters, digits and the characters . _ : * -, not ${describeValue(value)}.`,
        field,
      );
  }
}

/**
 * Returns the request with its size in `size`, which is priced and sent, if the client names it like SiliconFlow or
 * Together AI; the same object without such a name. A size that contradicts `size`, or has no pixels, is removed.
 * https://docs.siliconflow.cn/cn/api-reference/images/images-generations,
 * https://docs.together.ai/reference/post-images-generations
 * @param dropped takes the names of removed fields
 */
export function nameImageSize(request: JsonObject, dropped: string[] = []): JsonObject {
  const { image_size, width, height, ...others } = request;
  const named = Object.entries({ image_size, width, height }).filter(([, value]) => value !== undefined);
  if (named.length === 0) return request;
  const sides = [width, height].map((side) => (typeof side === 'number' || typeof side === 'string' ? side : ''));
  const size = readPixels(image_size) ?? readPixels(sides.join('x'));
  const asked = others['size'] ?? size;
  if (size === undefined || asked !== size) for (const [name, value] of named) if (value !== null) dropped.push(name);
  return asked === undefined ? others : { ...others, size: asked };
}

/**
 * Returns the request without a size or a quality that the vendor doesn't get: such a field doesn't determine the image,
 * and must not determine its price.
 * @param dropped names of the fields that were removed from the request
 */
export function removeUnsentVariant(request: JsonObject, dropped: readonly string[]): JsonObject {
  const unsent = new Set<string>(variantFields.filter((field) => dropped.includes(field)));
  const named = nameImageSize(request);
  return unsent.size === 0 ? named : pickUncoveredFields(unsent, named);
}

/** Returns the pixels of a size such as `1024x1024`; 0 for another value. */
export function countPixels(size: unknown): number {
  const [, width, height] = pixels.exec(textOf(size) ?? '') ?? [];
  return Number(width ?? 0) * Number(height ?? 0);
}

/** Returns a size in pixels as `1024x1024`; undefined for another value. */
function readPixels(value: unknown): string | undefined {
  const [, width, height] = pixels.exec(textOf(value) ?? '') ?? [];
  return width === undefined ? undefined : `${Number(width)}x${Number(height)}`;
}

/**
 * Returns `1024x1024/hd`, or the size alone. The request's name of a size, such as `2K`, is the one that has a price.
 * @param answer response of the upstream, which may have chosen itself
 */
export function resolveImageVariant(request: JsonObject, answer: JsonObject): string {
  const image = objectOf(listOf(answer['data'])[0]);
  const usual = newSeedream.test(textOf(request['model']) ?? '') ? SEEDREAM_SIZE_DEFAULT : SIZE_DEFAULT;
  const size = readName(answer, 'size') ?? readName(request, 'size') ?? readName(image, 'size') ?? usual;
  const quality = readName(answer, 'quality') ?? readName(request, 'quality');
  return quality === undefined ? size : `${size}/${quality}`;
}

function readName(object: JsonObject, field: string): string | undefined {
  const name = textOf(object[field]);
  if (name === undefined || name === 'auto' || !plain.test(name)) return undefined;
  return readPixels(name) ?? name;
}

/** Models that choose the size and the quality that a request doesn't name. */
const choosingModel = /gpt-image|chatgpt-image/i;
/** Sizes and qualities that vendors choose for `auto`. https://platform.openai.com/docs/guides/image-generation */
const chosenSizes = [SIZE_DEFAULT, '1536x1024', '1024x1536'];
const chosenQualities = ['', '/low', '/medium', '/high'];

/** Returns the variants that the vendor may choose: several for `auto`, and the one of the request otherwise. */
export function listImageVariants(request: JsonObject): string[] {
  const variant = resolveImageVariant(request, {});
  const [size = ''] = variant.split('/');
  const isChosen = (field: string): boolean => {
    const value = textOf(request[field]);
    return value === 'auto' || (value === undefined && choosingModel.test(textOf(request['model']) ?? ''));
  };
  const sizes = isChosen('size') ? [size, ...chosenSizes] : [size];
  const qualities = isChosen('quality') ? chosenQualities : [variant.slice(size.length)];
  return sizes.flatMap((one) => qualities.map((quality) => one + quality));
}

/** Returns the width and height of a size such as `1024x1024` or `2K`. */
export function readSides(size: string): readonly [number, number] {
  const [, thousands] = /^(\d)k$/i.exec(size) ?? [];
  const [, width = Number(thousands) * 1_024, height = width] = pixels.exec(size) ?? [];
  return Number.isNaN(Number(width)) ? SIDES_DEFAULT : [Number(width), Number(height)];
}
