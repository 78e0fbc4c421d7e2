import { readFileSizes } from '../../exchange/multipart-request.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import { emptyUsage, markImplausible, Shares, splitCachedMedia, toCallCount, type Usage } from '../../model/usage.ts';
import { listImageVariants, nameImageSize, readSides, resolveImageVariant } from './image-variants.ts';

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
/** Input tokens of an image for gpt-image-1, by default and with high `input_fidelity`. */
const INPUT_TOKENS = 323;
const FAITHFUL_INPUT_TOKENS = 6_144;
/**
 * Models that read every image with high fidelity, and have no `input_fidelity`: gpt-image-2 and later.
 * https://platform.openai.com/docs/guides/image-generation#input-fidelity
 */
const faithfulModel = /gpt-image-(?!1(?!\d))\d/i;

/** Returns whether vendors bill each input image of a model. https://docs.bfl.ai/quick_start/pricing */
export function billsInputImages(model: string): boolean {
  return /flux[-.]?2(?!\d)/i.test(model);
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
 * Returns the output tokens of one image, for the hold: the most that the vendor may choose.
 * @param partials number of requested partial images
 */
export function estimateImageTokens(request: JsonObject, partials: number): number {
  const model = textOf(request['model']) ?? '';
  const possible = listImageVariants(request).map((variant) => estimateVariantTokens(model, variant));
  return Math.max(...possible) + partials * PARTIAL_TOKENS;
}

/** Returns the input tokens of the images to edit, at the fidelity with which the model reads them. */
export function estimateInputImageTokens(body: JsonObject): number {
  const isFaithful = body['input_fidelity'] === 'high' || faithfulModel.test(textOf(body['model']) ?? '');
  return countInputImages(body) * (isFaithful ? FAITHFUL_INPUT_TOKENS : INPUT_TOKENS);
}

/** Returns the input tokens of the images to edit at a vendor whose model may read them with high fidelity. */
export function maxInputImageTokens(body: JsonObject): number {
  // JSON may have URLs, or objects with one, in the fields of a form's files.
  const named = [body['image'], body['mask']].flat().filter((image) => image != null);
  return Math.max(countInputImages(body), named.length + listOf(body['images']).length) * FAITHFUL_INPUT_TOKENS;
}

function countInputImages(body: JsonObject): number {
  const files = ['image', 'mask'].flatMap((field) => readFileSizes(body[field])).length;
  return files + listOf(body['images']).length;
}

/** Qualities by OpenAI's words; every other value may mean the highest. */
const lowerQualities: ReadonlyMap<string, 'low' | 'medium'> = new Map([
  ['low', 'low'],
  ['medium', 'medium'],
  ['standard', 'medium'],
]);

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
