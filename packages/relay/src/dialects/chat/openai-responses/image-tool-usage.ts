/** Images of OpenAI's tool `image_generation`, which are billed at the image model's price. */

import { isObject, type JsonObject, keyOf, objectOf, objectsIn, shortCopy, textOf } from '../../../json/json.ts';
import type { ImageTool } from '../../../model/client-request.ts';
import {
  emptyUsage,
  type ModelUsage,
  outputTokens,
  promptTokens,
  toCallCount,
  toTokenCount,
} from '../../../model/usage.ts';
import { estimateImageTokens, readImageUsage } from '../../images/image-usage.ts';
import { checkImageVariant, listImageVariants, resolveImageVariant } from '../../images/image-variants.ts';

const IMAGE_TOOL = 'image_generation';

/** Maximum sizes and qualities per response that are counted separately. */
const VARIANTS_MAX = 20;
/** Maximum unfinished images that are tracked. */
const CALLS_MAX = 100;

/** Maximum previews per image. */
const PARTIALS_MAX = 10;

/**
 * Returns the declared image tool with the maximum usage: `n` images for each of `max_tool_calls` calls, each 1 if
 * absent. The most expensive of several tools counts.
 * @throws InvalidRequestError for a size or a quality that has no price
 */
export function readImageTool(tools: readonly JsonObject[], maxToolCalls: unknown): ImageTool | undefined {
  const calls = toCallCount(maxToolCalls) || 1;
  return tools
    .filter(({ type }) => type === IMAGE_TOOL)
    .map((tool) => expectToolImages(tool, calls))
    .toSorted((one, other) => other.usage.imageOutput - one.usage.imageOutput)[0];
}

function expectToolImages(tool: JsonObject, calls: number): ImageTool {
  checkImageVariant(tool);
  const asked = { ...tool, size: textOf(tool['size']) ?? 'auto', quality: textOf(tool['quality']) ?? 'auto' };
  const image = toCallCount(calls * (toCallCount(tool['n']) || 1));
  const partials = Math.min(toCallCount(tool['partial_images']), PARTIALS_MAX);
  const imageOutput = toTokenCount(image * estimateImageTokens(asked, partials));
  const usage = { ...emptyUsage(), image, imageVariant: resolveImageVariant(tool, {}), imageOutput };
  return { model: textOf(tool['model']), usage, variants: listImageVariants(asked) };
}

/**
 * Counter of a response's images, and reader of `tool_usage.image_gen`, which has their tokens. Each size and quality
 * has its own entry, because a price per image depends on them.
 * https://platform.openai.com/docs/guides/tools-image-generation
 */
export class ImageToolUsage {
  readonly #images = new Map<string, number>();
  /** Variants of the images in progress, by item. */
  readonly #unfinished = new Map<string, string>();
  #tool: JsonObject = {};
  #reported: JsonObject | undefined;

  /** @param item finished `image_generation_call` */
  addItem(item: JsonObject): void {
    this.#unfinished.delete(shortCopy(keyOf(item['id']) ?? ''));
    if (item['status'] !== 'failed' && textOf(item['result']) !== undefined)
      countVariant(this.#images, resolveImageVariant(this.#tool, item));
  }

  /** Records a preview, whose image counts if the stream breaks off. @param event `…partial_image` */
  addPartial(event: JsonObject): void {
    const item = shortCopy(keyOf(event['item_id']) ?? '');
    if (this.#unfinished.has(item) || this.#unfinished.size < CALLS_MAX)
      this.#unfinished.set(item, resolveImageVariant(this.#tool, event));
  }

  addResponse(response: JsonObject): void {
    const declared = objectsIn(response['tools']);
    this.#tool = declared.find(({ type }) => type === IMAGE_TOOL) ?? this.#tool;
    const reported = objectOf(response['tool_usage'])['image_gen'];
    if (isObject(reported)) this.#reported = reported;
  }

  get usage(): readonly ModelUsage[] {
    const model = textOf(this.#tool['model']) ?? '';
    const tokens = readImageUsage({}, { usage: this.#reported }, 0);
    const hasTokens = promptTokens(tokens) + outputTokens(tokens) > 0;
    const counts = new Map(this.#images);
    for (const variant of this.#unfinished.values()) countVariant(counts, variant);
    const images = [...counts].map(([imageVariant, count]) => ({ image: toCallCount(count), imageVariant }));
    if (images.length === 0 && hasTokens) images.push({ image: 0, imageVariant: '' });
    return images.map((image, nth) => ({
      model,
      tool: IMAGE_TOOL,
      usage: { ...(nth === 0 ? tokens : emptyUsage()), ...image },
    }));
  }
}

function countVariant(counts: Map<string, number>, named: string): void {
  const variant = counts.has(named) || counts.size < VARIANTS_MAX ? named : '';
  counts.set(variant, (counts.get(variant) ?? 0) + 1);
}
