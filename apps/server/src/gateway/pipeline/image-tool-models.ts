/** Models besides the requested one: which of them a request may name, and how they are priced. */
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import { type ClientRequest, estimateVariantTokens } from '@switchyard/relay';
import { emptyUsage, type ModelUsage, outputTokens, promptTokens, type Usage } from '@switchyard/relay/usage';
import { hasImageRate, type PriceRule } from '../../ledger/ledger.ts';
import type { PricedCandidate } from '../routing/applied-price.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import type { Principal } from '../snapshot/authenticate.ts';

/** OpenAI's default model of the image tool. https://platform.openai.com/docs/api-reference/responses */
const IMAGE_TOOL_DEFAULT = 'gpt-image-1';

/**
 * Returns the names of the image tool's model on a channel; undefined when the request names none, or one that the
 * token may not use.
 */
export function findImageToolModel(
  { facts: { imageTool } }: Pick<ClientRequest, 'facts'>,
  { key }: Pick<Principal, 'key'>,
  { channel }: Pick<Candidate, 'channel'>,
): ReturnType<typeof resolveModelNames> | undefined {
  const model = imageTool?.model;
  if (model === undefined || key?.models?.has(model) === false) return undefined;
  return resolveModelNames(channel.modelMapping, model);
}

/**
 * Returns the usage with the names by which other models are priced. Image tokens that the vendor did not report are
 * estimated if the model's price is per token.
 */
export function assignPricedModels(
  usage: Usage,
  request: Pick<ClientRequest, 'facts'>,
  principal: Pick<Principal, 'key'>,
  { channel, price: { ruleOf } }: Pick<PricedCandidate, 'channel' | 'price'>,
): Usage {
  if (usage.others === undefined) return usage;
  const billed = findImageToolModel(request, principal, { channel })?.billedModel;
  const isReported = usage.others.some((other) => other.tool !== undefined && hasTokens(other.usage));
  const others = usage.others.map((other): ModelUsage => {
    if (other.tool === undefined) return other;
    const model = billed ?? (other.model === '' ? IMAGE_TOOL_DEFAULT : other.model);
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
  request: Pick<ClientRequest, 'facts'>,
  principal: Pick<Principal, 'key'>,
  { channel, price: { ruleOf } }: Pick<PricedCandidate, 'channel' | 'price'>,
): Usage {
  const { imageTool } = request.facts;
  if (imageTool === undefined) return emptyUsage();
  const model = findImageToolModel(request, principal, { channel })?.billedModel ?? IMAGE_TOOL_DEFAULT;
  const usage = isPricedByImage(ruleOf(model)) ? { ...imageTool.usage, imageOutput: 0 } : imageTool.usage;
  return { ...emptyUsage(), others: [{ model, tool: 'image_generation', usage }] };
}
