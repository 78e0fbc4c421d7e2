/** Images that OpenAI's tool `image_generation` makes within a response, which the image model's price pays for. */
import type { ImageTool } from '../../client-request.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { callCount, emptyUsage, type ModelUsage, outputTokens, promptTokens } from '../../usage.ts';
import { pictureVariant, variantTokens } from '../picture-kind.ts';
import { pictureUsage } from '../picture-usage.ts';

const IMAGE_TOOL = 'image_generation';

/** Sizes and qualities that are told apart in one response. */
const VARIANTS_MAX = 20;

/** Returns the image tool that a request declares, with the expected usage of one image. */
export function readImageTool(tools: readonly JsonObject[]): ImageTool | undefined {
  const tool = tools.find(({ type }) => type === IMAGE_TOOL);
  if (tool === undefined) return undefined;
  const imageVariant = pictureVariant(tool, {});
  const usage = { ...emptyUsage(), image: 1, imageVariant, imageOutput: variantTokens(imageVariant) };
  return { model: textOf(tool['model']), usage };
}

/**
 * Counts the images of one response and reads `tool_usage.image_gen`, which has their tokens. The price depends on size and
 * quality where the image model is priced by the image, so that each variant has an entry of its own.
 * https://platform.openai.com/docs/guides/tools-image-generation
 */
export class ImageToolReport {
  readonly #images = new Map<string, number>();
  #tool: JsonObject = {};
  #reported: JsonObject | undefined;

  /** @param item a finished `image_generation_call` */
  addItem(item: JsonObject): void {
    if (textOf(item['result']) === undefined) return;
    const named = pictureVariant(this.#tool, item);
    const variant = this.#images.has(named) || this.#images.size < VARIANTS_MAX ? named : '';
    this.#images.set(variant, (this.#images.get(variant) ?? 0) + 1);
  }

  addResponse(response: JsonObject): void {
    const declared = listOf(response['tools']).map(objectOf);
    this.#tool = declared.find(({ type }) => type === IMAGE_TOOL) ?? this.#tool;
    const reported = objectOf(response['tool_usage'])['image_gen'];
    if (isObject(reported)) this.#reported = reported;
  }

  get usage(): readonly ModelUsage[] {
    const model = textOf(this.#tool['model']) ?? '';
    const tokens = pictureUsage({}, { usage: this.#reported }, 0);
    const hasTokens = promptTokens(tokens) + outputTokens(tokens) > 0;
    const images = [...this.#images].map(([imageVariant, count]) => ({
      image: callCount(count),
      imageVariant,
    }));
    if (images.length === 0 && hasTokens) images.push({ image: 0, imageVariant: '' });
    return images.map((counts, nth) => ({
      model,
      tool: IMAGE_TOOL,
      usage: { ...(nth === 0 ? tokens : emptyUsage()), ...counts },
    }));
  }
}
