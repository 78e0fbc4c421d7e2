/** Images that OpenAI's tool `image_generation` makes within a response, which the image model's price pays for. */

import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { ImageTool } from '../../../model/client-request.ts';
import {
  emptyUsage,
  type ModelUsage,
  outputTokens,
  promptTokens,
  toCallCount,
  toTokenCount,
  type Usage,
} from '../../../model/usage.ts';
import { estimateImageTokens, readImageUsage, resolveImageVariant } from '../../images/image-usage.ts';

const IMAGE_TOOL = 'image_generation';

/** Sizes and qualities that are told apart in one response. */
const VARIANTS_MAX = 20;
/** Images that are told apart while they are unfinished. */
const CALLS_MAX = 100;

/** More unfinished images of one call no vendor sends. */
const PARTIALS_MAX = 10;

/**
 * Returns the image tool that a request declares, with the usage of all images that the request allows: `n` for each of
 * `max_tool_calls`, each 1 where it is missing. Of several tools the dearest counts.
 */
export function readImageTool(tools: readonly JsonObject[], maxToolCalls: unknown): ImageTool | undefined {
  const calls = toCallCount(maxToolCalls) || 1;
  return tools
    .filter(({ type }) => type === IMAGE_TOOL)
    .map((tool) => ({ model: textOf(tool['model']), usage: estimateToolUsage(tool, calls) }))
    .toSorted((one, other) => other.usage.imageOutput - one.usage.imageOutput)[0];
}

function estimateToolUsage(tool: JsonObject, calls: number): Usage {
  const image = toCallCount(calls * (toCallCount(tool['n']) || 1));
  const partials = Math.min(toCallCount(tool['partial_images']), PARTIALS_MAX);
  const imageOutput = toTokenCount(image * estimateImageTokens(tool, partials));
  return { ...emptyUsage(), image, imageVariant: resolveImageVariant(tool, {}), imageOutput };
}

/**
 * Counts the images of one response and reads `tool_usage.image_gen`, which has their tokens. The price depends on size and
 * quality where the image model is priced by the image, so that each variant has an entry of its own.
 * https://platform.openai.com/docs/guides/tools-image-generation
 */
export class ImageToolUsage {
  readonly #images = new Map<string, number>();
  /** Variants of the images that have begun to come, by their items. */
  readonly #unfinished = new Map<string, string>();
  #tool: JsonObject = {};
  #reported: JsonObject | undefined;

  /** @param item a finished `image_generation_call` */
  addItem(item: JsonObject): void {
    this.#unfinished.delete(textOf(item['id']) ?? '');
    if (item['status'] !== 'failed' && textOf(item['result']) !== undefined)
      countVariant(this.#images, resolveImageVariant(this.#tool, item));
  }

  /** Counts an image of which only a preview came when the stream breaks off. @param event `…partial_image` */
  addPartial(event: JsonObject): void {
    const item = textOf(event['item_id']) ?? '';
    if (this.#unfinished.has(item) || this.#unfinished.size < CALLS_MAX)
      this.#unfinished.set(item, resolveImageVariant(this.#tool, event));
  }

  addResponse(response: JsonObject): void {
    const declared = listOf(response['tools']).map(objectOf);
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
    const images = [...counts].map(([imageVariant, count]) => ({
      image: toCallCount(count),
      imageVariant,
    }));
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
