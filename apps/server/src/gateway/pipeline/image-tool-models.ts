/** Models besides the requested one, and how they are priced. */
import { type ClientRequest, estimateVariantTokens } from '@switchyard/relay';
import { emptyUsage, type ModelUsage, outputTokens, promptTokens, type Usage } from '@switchyard/relay/usage';
import { hasImageRate, type PriceRule } from '../../ledger/ledger.ts';
import type { PricedCandidate } from '../routing/applied-price.ts';

/** OpenAI's default model of the image tool. https://platform.openai.com/docs/api-reference/responses */
const IMAGE_TOOL_DEFAULT = 'gpt-image-1';

/**
 * Returns the usage with the names by which other models are priced. Image tokens that the vendor did not report are
 * estimated if the model's price is per token.
 */
export function assignPricedModels(
  usage: Usage,
  { imageTool, price: { ruleOf } }: Pick<PricedCandidate, 'imageTool' | 'price'>,
): Usage {
  if (usage.others === undefined) return usage;
  const isReported = usage.others.some((other) => other.tool !== undefined && hasTokens(other.usage));
  const others = usage.others.map((other): ModelUsage => {
    if (other.tool === undefined) return other;
    const model = imageTool?.billedModel ?? (other.model === '' ? IMAGE_TOOL_DEFAULT : other.model);
    return { ...other, model, usage: isReported ? other.usage : estimateTokens(ruleOf(model), other.usage) };
  });
  return { ...usage, others };
}

function hasTokens(usage: Usage): boolean {
  return promptTokens(usage) + outputTokens(usage) > 0;
}

/** Returns whether images are priced by a rate other than their tokens. */
function isPricedByImage(rule: PriceRule): boolean {
  return rule.type === 'times' || hasImageRate(rule);
}

function estimateTokens(rule: PriceRule, usage: Usage): Usage {
  if (isPricedByImage(rule)) return usage;
  return { ...usage, imageOutput: usage.image * estimateVariantTokens(usage.imageVariant) };
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
  const usage = isPricedByImage(ruleOf(model)) ? { ...asked.usage, imageOutput: 0 } : asked.usage;
  return { ...emptyUsage(), others: [{ model, tool: 'image_generation', usage }] };
}
