import { isObject, type JsonObject, objectOf } from '../../json.ts';
import { emptyUsage, tokenCount, type Usage } from '../../usage.ts';
import { pictureVariant } from './picture-kind.ts';

/**
 * What an answer, or the event that ends a picture, says of tokens, and how many pictures came. Output is pictures but
 * for what the details call text.
 */
export function pictureUsage(request: JsonObject, answer: JsonObject, image: number): Usage {
  const units = { ...emptyUsage(), image, imageVariant: image === 0 ? '' : pictureVariant(request, answer) };
  const { usage } = answer;
  if (!isObject(usage)) return units;
  const input = tokenCount(usage['input_tokens']);
  const inputDetails = objectOf(usage['input_tokens_details']);
  const cachedRead = Math.min(input, tokenCount(inputDetails['cached_tokens']));
  const imageInput = Math.min(input - cachedRead, tokenCount(inputDetails['image_tokens']));
  const output = tokenCount(usage['output_tokens']);
  const text = Math.min(output, tokenCount(objectOf(usage['output_tokens_details'])['text_tokens']));
  return {
    ...units,
    input: input - cachedRead - imageInput,
    cachedRead,
    imageInput,
    output: text,
    imageOutput: output - text,
  };
}
