import type { Settings } from '@switchyard/contract/operations/settings';
import {
  type ClientRequest,
  estimateToolCalls,
  type RequestFacts,
  readOutputModalities,
  writesCacheUnasked,
} from '@switchyard/relay';
import { emptyUsage, type TokenCounterName, type UnitCounterName, type Usage } from '@switchyard/relay/usage';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import {
  findDearestCounter,
  findDearestVariant,
  type Hold,
  type PriceRule,
  priceCall,
  priceEstimate,
} from '../../ledger/ledger.ts';
import { estimateImageUsage } from '../pipeline/price-image-tool-models.ts';
import { estimateOutputTokens } from '../routing/adjust-expected-usage.ts';
import type { PricedCandidate } from '../routing/price-candidate.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { findRequestMinimum } from './determine-usage.ts';

/**
 * Returns the hold for a request before a channel is called: the maximum cost on that channel, and at least the
 * configured minimum. Includes only the share of prompt tokens that the channel is configured to reserve; the charge
 * is unaffected.
 */
export function createHold(
  { settings }: { settings: Pick<Settings, 'preConsumedQuota'> },
  requestId: string,
  principal: Principal,
  request: ClientRequest,
  priced: PricedCandidate,
): Hold {
  const { key, user, batch } = principal;
  const { facts } = request;
  const images = estimateImages(request, priced);
  const whole = estimatePoints(priced, request, readPromptTokens(facts, 'all'));
  const { heldPrompt } = priced.channel;
  const estimate = heldPrompt === 'all' ? whole : estimatePoints(priced, request, readPromptTokens(facts, heldPrompt));
  return {
    requestId,
    userId: user.id,
    apiKeyId: key?.id ?? null,
    limited: key?.limited ?? false,
    budgets: key?.budgets,
    isSentAgain: batch !== undefined,
    amount: whole + images === 0 ? 0 : Math.max(estimate + images, settings.preConsumedQuota, 1),
  };
}

/** Estimated prompt tokens by the kinds that have prices of their own. */
interface PromptTokens {
  text: number;
  image: number;
  audio: number;
}

function readPromptTokens(
  { inputTokensEstimate, imageTokensEstimate, audioTokensEstimate = 0 }: RequestFacts,
  held: LoadedChannel['heldPrompt'],
): PromptTokens {
  if (held === 'nothing') return { text: 0, image: 0, audio: 0 };
  const text = inputTokensEstimate - imageTokensEstimate - audioTokensEstimate;
  return { text, image: held === 'all' ? imageTokensEstimate : 0, audio: audioTokensEstimate };
}

/** Returns the points for the images of a tool that creates them with a separate model. */
function estimateImages(request: ClientRequest, priced: PricedCandidate): number {
  if (request.facts.imageTool === undefined) return 0;
  const { rule, ratios, ruleOf } = priced.price;
  return priceCall(rule, ratios, estimateImageUsage(request, priced), ruleOf).points;
}

/** Returns points. */
function estimatePoints(priced: PricedCandidate, request: ClientRequest, prompt: PromptTokens): number {
  const { rule, ratios } = priced.price;
  const { expected } = request.facts;
  const input = prompt.text + prompt.image + prompt.audio;
  if (expected === undefined && rule.type === 'times') return priceEstimate(rule, ratios, input, 0);
  return priceCall(rule, ratios, estimatePromptUsage(priced, request, prompt)).points;
}

function estimatePromptUsage(priced: PricedCandidate, request: ClientRequest, prompt: PromptTokens): Usage {
  const { expected } = request.facts;
  const input = prompt.text + prompt.image + prompt.audio;
  const { rule } = priced.price;
  const usage =
    expected === undefined
      ? estimateDearestUsage(priced, request, prompt, input)
      : {
          ...expected.usage,
          input,
          imageVariant: findDearestVariant(rule, expected.usage.imageVariant, expected.variants),
        };
  const minimum = findRequestMinimum(request, rule, usage);
  return minimum === undefined ? usage : { ...usage, [minimum]: request.facts.choices };
}

/** Returns the usage for which a hold reserves the points, regardless of what the channel is configured to reserve. */
export function estimateUsage(request: ClientRequest, priced: PricedCandidate): Usage {
  const { others } = estimateImageUsage(request, priced);
  const usage = estimatePromptUsage(priced, request, readPromptTokens(request.facts, 'all'));
  return others === undefined ? usage : { ...usage, others };
}

/**
 * Returns the estimated tokens, each as the dearest of the kinds as which the vendor may bill it, and the calls of the
 * dearest tool that the vendor may run. A hold at the rates of plain text would let concurrent requests with cache
 * writes, audio or searches spend several times the balance.
 */
function estimateDearestUsage(
  { key: { target }, upstreamModel, price: { rule } }: PricedCandidate,
  { json, facts }: ClientRequest,
  { text, image, audio }: PromptTokens,
  input: number,
): Usage {
  const usage = emptyUsage();
  const add = (tokens: number, ...counters: [TokenCounterName, ...TokenCounterName[]]): void => {
    if (tokens > 0) usage[findDearestCounter(rule, input, ...counters)] += tokens;
  };
  const writes = findCacheWrites(facts, upstreamModel, input);
  add(text, 'input', ...writes);
  add(image, 'input', 'imageInput', ...writes);
  add(audio, 'input', 'audioInput', ...writes);
  add(estimateOutputTokens(facts), 'output', 'reasoning', ...findMediaOutputs(json));
  const tool = findDearestTool(rule);
  if (tool !== undefined) usage[tool] = estimateToolCalls(json, { options: target.options, model: upstreamModel });
  return usage;
}

function findCacheWrites({ cacheLifetime }: RequestFacts, model: string, promptTokens: number): TokenCounterName[] {
  if (cacheLifetime === '1h') return ['cacheWrite5m', 'cacheWrite1h'];
  return cacheLifetime === '5m' || writesCacheUnasked(model, promptTokens) ? ['cacheWrite5m'] : [];
}

/** Returns the output that the request may get besides text. Models that draw do so unless text is requested. */
function findMediaOutputs(json: ClientRequest['json']): TokenCounterName[] {
  const modalities = readOutputModalities(json);
  if (modalities.length === 0) return ['imageOutput'];
  const outputs: TokenCounterName[] = modalities.includes('audio') ? ['audioOutput'] : [];
  return modalities.includes('image') ? [...outputs, 'imageOutput'] : outputs;
}

const toolUnits = ['webSearch', 'mapsGrounding', 'codeExecution', 'fileSearch'] as const;

/** Returns the vendor tool whose calls cost the most; undefined if the price has no rate for any. */
function findDearestTool({ rates }: PriceRule): UnitCounterName | undefined {
  return toolUnits.reduce<UnitCounterName | undefined>((dearest, tool) => {
    const known = dearest === undefined ? 0 : (rates[dearest] ?? 0);
    return (rates[tool] ?? 0) > known ? tool : dearest;
  }, undefined);
}
