import { describeType, describeValue } from '../../json/describe-value.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { emptyUsage, markImplausible, Shares, splitCachedMedia, toCallCount, type Usage } from '../../model/usage.ts';
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
/** Pixels to which the numbers of tokens below refer, and which no estimate goes below. */
const BASE_PIXELS = 1_024 * 1_024;
/**
 * Output tokens of a square of 1024 pixels for gpt-image-1, by quality; they grow with the area. Seedream has 4,096 at
 * any quality. https://platform.openai.com/docs/guides/image-generation#cost-and-latency
 */
const outputTokens = { low: 272, medium: 1_056, high: 4_160 } as const;
/** Parts of the longer side for gpt-image-2, by quality. https://platform.openai.com/docs/guides/image-generation */
const partsByQuality = { low: 16, medium: 48, high: 96 } as const;
/** Tokens of each partial image. */
const PARTIAL_TOKENS = 100;

/** Returns whether vendors bill each input image of a model. https://docs.bfl.ai/quick_start/pricing */
export function billsInputImages(model: string): boolean {
  return /flux[-.]?2(?!\d)/i.test(model);
}

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
 * Returns the usage in a response, or in the event that completes an image, with the number of images. Output tokens
 * are image tokens unless the details report them as text.
 */
export function readImageUsage(request: JsonObject, answer: JsonObject, image: number): Usage {
  const imageVariant = image === 0 ? '' : resolveImageVariant(nameImageSize(request), answer);
  const units = { ...emptyUsage(), image, imageVariant };
  const { usage } = answer;
  if (!isObject(usage)) return units;
  const details = objectOf(usage['input_tokens_details']);
  const input = new Shares(usage['input_tokens']);
  const output = new Shares(usage['output_tokens']);
  const cached = objectOf(details['cached_tokens_details'])['image_tokens'];
  const { media, implausible } = splitCachedMedia(
    input.take('cachedRead', details['cached_tokens']),
    { audio: 0, image: details['image_tokens'] },
    { audio: 0, image: cached },
  );
  return {
    ...units,
    ...media,
    imageInput: input.take('imageInput', media.imageInput),
    input: input.rest,
    output: output.take('output', objectOf(usage['output_tokens_details'])['text_tokens']),
    imageOutput: output.rest,
    // Volcengine's searches. https://www.volcengine.com/docs/82379/1541523
    webSearch: toCallCount(objectOf(usage['tool_usage'])['web_search']),
    ...markImplausible(...implausible, ...input.implausible, ...output.implausible),
  };
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

/**
 * Returns the output tokens of one image, for the hold: the most that the vendor may choose.
 * @param partials number of requested partial images
 */
export function estimateImageTokens(request: JsonObject, partials: number): number {
  const model = textOf(request['model']) ?? '';
  const possible = listImageVariants(request).map((variant) => estimateVariantTokens(model, variant));
  return Math.max(...possible) + partials * PARTIAL_TOKENS;
}

/** Qualities by OpenAI's words; every other value may mean the highest. */
const lowerQualities: ReadonlyMap<string, 'low' | 'medium'> = new Map([
  ['low', 'low'],
  ['medium', 'medium'],
  ['standard', 'medium'],
]);

function readSides(size: string): readonly [number, number] {
  const [, thousands] = /^(\d)k$/i.exec(size) ?? [];
  const [, width = Number(thousands) * 1_024, height = width] = pixels.exec(size) ?? [];
  return Number.isNaN(Number(width)) ? SIDES_DEFAULT : [Number(width), Number(height)];
}

/** Returns gpt-image-2's tokens by OpenAI's calculator. */
function countNewerTokens(parts: number, width: number, height: number): number {
  const across = Math.round((parts * Math.min(width, height)) / Math.max(width, height, 1));
  return Math.ceil((parts * across * (2_000_000 + width * height)) / 4_000_000);
}

/**
 * Returns the output tokens of one image by its variant, for instance `1536x1024/high`. A vendor that chooses the quality
 * may choose the highest.
 */
export function estimateVariantTokens(model: string, variant: string): number {
  const [named, wanted] = variant.split('/');
  const [size = '', quality = ''] = resolveImageVariant({ model, size: named, quality: wanted }, {}).split('/');
  const [width, height] = readSides(size);
  const level = lowerQualities.get(quality) ?? 'high';
  const byArea = Math.ceil((outputTokens[level] * Math.max(BASE_PIXELS, width * height)) / BASE_PIXELS);
  const isNewer = /gpt-image-2(?!\d)/i.test(model);
  return isNewer ? countNewerTokens(partsByQuality[level], width, height) : byArea;
}
