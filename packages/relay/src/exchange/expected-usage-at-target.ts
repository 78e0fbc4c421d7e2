/** Adjustment of a request's facts to what an upstream gets, before it gets anything. */
import { removeUnsentVariant } from '../dialects/images/image-variants.ts';
import { expectImages } from '../dialects/images/openai-images.ts';
import { isObject, type JsonObject, numberOf, objectOf } from '../json/json.ts';
import type { ClientRequest, ExpectedUsage } from '../model/client-request.ts';
import type { Target } from '../model/provider.ts';
import type { Usage } from '../model/usage.ts';
import { ToolNames } from '../translate/tool-names.ts';
import { getUpstreamDialect, planVideoSubmission } from './dialect-registry.ts';
import { isSameDialect, packUpstreamBody, planUpstreamBody } from './outgoing-body.ts';
import { chooseEndpoint } from './plan-exchange.ts';

/**
 * Returns the request as the vendor serves it: with the output cap that the vendor gets for the client's, and with the
 * usage that its lengths and resolutions of videos, the fields of images that it gets, or its count of spoken characters imply.
 * @throws InvalidRequestError when the vendor offers no such video or voice
 */
export function adjustToTarget(request: ClientRequest, target: Target): ClientRequest {
  const { operation, facts } = request;
  if (operation === 'chat' || operation === 'completions') {
    const reasoning = countExtraReasoning(request, target);
    // A client without a cap expects a usual response, although the gateway may have to set a high one.
    const cap = facts.maxOutputTokens === undefined ? undefined : findOutputCap(request, target);
    if (cap === facts.maxOutputTokens && reasoning === 0) return request;
    return { ...request, facts: { ...facts, maxOutputTokens: cap, extraReasoningTokens: reasoning } };
  }
  const { expected } = facts;
  const adjusted = expected && expectOfUpstream(request, target, expected.usage);
  if (expected === undefined || adjusted === undefined) return request;
  return { ...request, facts: { ...facts, expected: { ...expected, ...adjusted } } };
}

/** Returns undefined if the vendor counts like the gateway. */
function expectOfUpstream(
  request: ClientRequest,
  target: Target,
  expected: Usage,
): Pick<ExpectedUsage, 'usage' | 'variants'> | undefined {
  const { operation, json } = request;
  if (operation === 'images') {
    const sent = removeUnsentVariant(json, planSettings(request, target).dropped);
    return expectImages({ ...sent, model: target.model });
  }
  const usage =
    operation === 'videos'
      ? planVideoSubmission(request, chooseEndpoint(request, target).format, target.model, [])?.usage
      : operation === 'speech'
        ? countSpeech(request, target, expected)
        : undefined;
  return usage && { usage };
}

function countSpeech(request: ClientRequest, target: Target, usage: Usage): Usage | undefined {
  const endpoint = chooseEndpoint(request, target);
  const { format } = endpoint;
  const upstream = getUpstreamDialect(format);
  if (upstream.countCharacters === undefined) return undefined;
  const outgoing = planUpstreamBody(request, target, endpoint, { dropped: [], names: new ToolNames(format) });
  const { bytes } = packUpstreamBody(request, endpoint, outgoing);
  return { ...usage, character: upstream.countCharacters(bytes.toString('utf8')) };
}

/**
 * Returns the output cap that the upstream gets. The gateway raises it by the budget of reasoning or to a vendor's
 * minimum, and lowers it to a model's maximum; an operator may change it.
 * @returns undefined if the upstream gets none under a known name, or 0, which some servers take for none
 */
function findOutputCap(request: ClientRequest, target: Target): number | undefined {
  const isUnchanged = (target.changes?.bodies ?? []).length === 0;
  if (isUnchanged && isSameDialect(request, chooseEndpoint(request, target)))
    return request.facts.maxOutputTokens || undefined;
  const { outgoing } = planSettings(request, target);
  const config = objectOf(outgoing['generationConfig'] ?? outgoing['generation_config']);
  const caps = [
    outgoing['max_tokens'],
    outgoing['max_completion_tokens'],
    outgoing['max_output_tokens'],
    config['maxOutputTokens'],
    config['max_output_tokens'],
    objectOf(outgoing['inferenceConfig'])['maxTokens'],
  ].flatMap((cap) => numberOf(cap) ?? []);
  return Math.max(0, ...caps) || undefined;
}

/** Returns the tokens of reasoning that the vendor may generate in addition to the output cap. */
function countExtraReasoning(request: ClientRequest, target: Target): number {
  const { provider, model } = target;
  return provider.countExtraReasoning?.(planSettings(request, target).outgoing, model) ?? 0;
}

/**
 * Fields, at any depth, by which a request determines its output cap and its reasoning, or the size and quality of its
 * images.
 */
const settingNames: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'n',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
  'generationConfig',
  'generation_config',
  'reasoning',
  'reasoning_effort',
  'effort',
  'thinking',
  'enable_thinking',
  'type',
  'budget_tokens',
  'output_config',
  'thinkingConfig',
  'thinking_config',
  'thinkingBudget',
  'thinking_budget',
  'thinkingLevel',
  'thinking_level',
  'size',
  'quality',
  'image_size',
  'width',
  'height',
]);

interface PlannedSettings {
  outgoing: JsonObject;
  /** Names of removed fields. */
  dropped: string[];
}

/**
 * Plans the body of a request with its settings alone: this happens for each channel and before funds are held, while
 * a long conversation takes many milliseconds. A cap may be too high, because it includes reasoning that the history
 * rules out.
 */
function planSettings(request: ClientRequest, target: Target): PlannedSettings {
  const endpoint = chooseEndpoint(request, target);
  const prompt = request.operation === 'images' ? { prompt: '' } : {};
  const light = {
    ...request,
    body: Buffer.alloc(0),
    form: undefined,
    json: { ...pickSettings(request.json), ...prompt },
  };
  const dropped: string[] = [];
  const outgoing = planUpstreamBody(light, target, endpoint, { dropped, names: new ToolNames(endpoint.format) });
  return { outgoing, dropped };
}

function pickSettings(json: JsonObject): JsonObject {
  const picked = Object.entries(json).filter(([name, value]) => settingNames.has(name) && !Array.isArray(value));
  return Object.fromEntries(picked.map(([name, value]) => [name, isObject(value) ? pickSettings(value) : value]));
}
