import { isObject, type JsonObject, objectOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import { emptyUsage, markImplausible, Shares, type Usage } from '../../model/usage.ts';
import { resolveImageVariant } from './image-variant.ts';

/**
 * Returns the usage in a response, or in the event that completes an image, with the number of images. Output tokens
 * are image tokens unless the details report them as text.
 */
export function readImageUsage(request: JsonObject, answer: JsonObject, image: number): Usage {
  const units = {
    ...emptyUsage(),
    image,
    imageVariant: image === 0 ? '' : resolveImageVariant(request, answer),
  };
  const { usage } = answer;
  if (!isObject(usage)) return units;
  const details = objectOf(usage['input_tokens_details']);
  const input = new Shares(usage['input_tokens']);
  const output = new Shares(usage['output_tokens']);
  return {
    ...units,
    cachedRead: input.take('cachedRead', details['cached_tokens']),
    imageInput: input.take('imageInput', details['image_tokens']),
    input: input.rest,
    output: output.take('output', objectOf(usage['output_tokens_details'])['text_tokens']),
    imageOutput: output.rest,
    ...markImplausible(...input.implausible, ...output.implausible),
  };
}

/**
 * Returns the reader for vendors that report only the images.
 * @param picturesIn returns their URLs, or the images in base64
 */
export function createImageReader(
  picturesIn: (answer: JsonObject) => string[],
): UpstreamDialect['readNonStreaming'] {
  return (answer, _lost, request) => {
    const binaries = picturesIn(answer);
    return { usage: readImageUsage(request, {}, binaries.length), content: [], binaries };
  };
}
