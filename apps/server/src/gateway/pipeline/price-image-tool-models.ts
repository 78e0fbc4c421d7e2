/** Models besides the requested one, and how they are priced. */
import { type ClientRequest, estimateVariantTokens } from '@switchyard/relay';
import { emptyUsage, type ModelUsage, outputTokens, promptTokens, type Usage } from '@switchyard/relay/usage';
import { findDearestVariant, hasImageRate, type PriceRule } from '../../ledger/ledger.ts';
import type { PricedCandidate } from '../routing/price-candidate.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { DEFAULT_PRICE_VERSION } from '../snapshot/snapshot-loader.ts';

/** OpenAI's default model of the image tool. https://platform.openai.com/docs/api-reference/responses */
const IMAGE_TOOL_DEFAULT = 'gpt-image-1';

/**
 * Returns the usage with the names by which other models are priced. A vendor can report any name: a model without a
 * price, of another family than the requested one, or that the key may not use, counts as a further run of the requested
 * one, and a tool's model without a price of images has that of the default. Image tokens that the vendor did not report
 * are estimated if the model's price is per token.
 */
export function assignPricedModels(
  usage: Usage,
  { imageTool, upstreamModel, price: { ruleOf } }: Pick<PricedCandidate, 'imageTool' | 'upstreamModel' | 'price'>,
  key: Principal['key'],
): Usage {
  if (usage.others === undefined) return usage;
  const isReported = usage.others.some((other) => other.tool !== undefined && hasTokens(other.usage));
  const others = usage.others.map((other): ModelUsage => {
    if (other.isChosenHere === true) return other;
    if (other.tool === undefined) {
      const hasPrice =
        isSameFamily(other.model, upstreamModel) && ruleOf(other.model).version !== DEFAULT_PRICE_VERSION;
      return hasPrice && key?.models?.has(other.model) !== false ? other : { ...other, model: '' };
    }
    const model = imageTool?.billedModel ?? (isImageModel(other.model, ruleOf) ? other.model : IMAGE_TOOL_DEFAULT);
    return { ...other, model, usage: isReported ? other.usage : estimateTokens(model, ruleOf(model), other.usage) };
  });
  return { ...usage, others };
}

/** Returns whether the name begins with a word of the other name, such as `claude` of `us.anthropic.claude-sonnet-4-5`. */
function isSameFamily(model: string, requested: string): boolean {
  const [family] = /^[a-z]+/.exec(model) ?? [];
  return family !== undefined && requested.split(/[^a-z]+/).includes(family);
}

/** Returns whether the model has a price of its own, with a rate for images. */
function isImageModel(model: string, ruleOf: PricedCandidate['price']['ruleOf']): boolean {
  const rule = ruleOf(model);
  return rule !== ruleOf('') && (hasImageRate(rule) || (rule.rates.imageOutput ?? 0) > 0);
}

function hasTokens(usage: Usage): boolean {
  return promptTokens(usage) + outputTokens(usage) > 0;
}

/** Returns whether images are priced by a rate other than their tokens. */
function isPricedByImage(rule: PriceRule): boolean {
  return rule.type === 'times' || hasImageRate(rule);
}

function estimateTokens(model: string, rule: PriceRule, usage: Usage): Usage {
  if (isPricedByImage(rule)) return usage;
  return { ...usage, imageOutput: usage.image * estimateVariantTokens(model, usage.imageVariant) };
}

/**
 * Returns the expected usage of the image tool's model, for the hold: all images that the request allows; empty
 * without such a tool.
 */
export function estimateImageUsage(
  { facts: { imageTool: asked } }: Pick<ClientRequest, 'facts'>,
  { imageTool, price: { ruleOf } }: Pick<PricedCandidate, 'imageTool' | 'price'>,
): Usage {
  if (asked === undefined) return emptyUsage();
  const model = imageTool?.billedModel ?? IMAGE_TOOL_DEFAULT;
  const rule = ruleOf(model);
  const imageVariant = findDearestVariant(rule, asked.usage.imageVariant, asked.variants);
  const usage = { ...asked.usage, imageVariant, imageOutput: isPricedByImage(rule) ? 0 : asked.usage.imageOutput };
  return { ...emptyUsage(), others: [{ model, tool: 'image_generation', usage }] };
}
