/** Size and quality of pictures, as prices name them, and what they take in tokens. */
import { type JsonObject, objectOf, textOf } from '../../json/json.ts';

/** No documented one is longer or has other characters; what a client writes ends in receipts. */
const plain = /^[\w.-]{1,24}$/;
/** Size if the request names none, for all models that are billed by the image. */
const SIZE_DEFAULT = '1024x1024';

/** `1024x1024/hd`, or the size alone. @param answer of the upstream, which may have chosen by itself */
export function resolveImageVariant(request: JsonObject, answer: JsonObject): string {
  const size = readName(answer, 'size') ?? readName(request, 'size') ?? SIZE_DEFAULT;
  const quality = readName(answer, 'quality') ?? readName(request, 'quality');
  return quality === undefined ? size : `${size}/${quality}`;
}

function readName(object: JsonObject, field: string): string | undefined {
  const name = textOf(object[field]);
  return name === undefined || name === 'auto' || !plain.test(name) ? undefined : name;
}

/**
 * Output tokens of a square and of a longer image for gpt-image-1; newer models differ little.
 * https://platform.openai.com/docs/guides/image-generation#cost-and-latency
 */
const outputTokens: Readonly<Record<string, readonly [number, number]>> = {
  low: [272, 408],
  medium: [1_056, 1_584],
  high: [4_160, 6_240],
};
/** Tokens of each partial image. */
const PARTIAL_TOKENS = 100;

/** @param partials how many unfinished pictures were asked for */
export function estimateImageTokens(request: JsonObject, partials: number): number {
  const quality = textOf(request['quality']) ?? '';
  const known = Object.hasOwn(outputTokens, quality) ? outputTokens[quality] : undefined;
  const [square, long] = known ?? outputTokens['medium'] ?? [0, 0];
  const isSquare = resolveImageVariant(request, objectOf(undefined)).startsWith(SIZE_DEFAULT);
  return (isSquare ? square : long) + partials * PARTIAL_TOKENS;
}

/** Returns the output tokens of one image by its variant, for instance `1536x1024/high`. */
export function estimateVariantTokens(variant: string): number {
  const [size, quality] = variant.split('/');
  return estimateImageTokens({ size, quality }, 0);
}
