/**
 * Determines the usage of a response and the source of that usage. Usage that the upstream reported is preferred if
 * it is plausible. If it reported none, or none of a required part, or the stream broke off before the report, the
 * tokens of the prompt and of the delivered response are counted with the model's vocabulary; if the vocabulary is
 * unknown, they are estimated from the number of characters. A response that broke off before anything was delivered
 * has no usage, unless its client left after a report of the prompt; one with neither content nor a report has none.
 * Images, seconds of audio and spoken characters are counted if the price has a rate for them.
 */
import type { Settings } from '@switchyard/contract/operations/settings';
import {
  type ClientRequest,
  computeUnitUsage,
  countedUsage,
  countSpokenSeconds,
  type ExpectedUsage,
  isFullyReported,
  type Meter,
  type Operation,
  readTokenizerInput,
  sanitizeMeter,
} from '@switchyard/relay';
import {
  emptyUsage,
  promptTokens,
  type UnitCounterName,
  type Usage,
  usageByModel,
  usageCounters,
} from '@switchyard/relay/usage';
import { findMinimumUnit, isAnyTokenPriced, type PriceRule } from '../../ledger/ledger.ts';
import type { AttemptResult } from '../http/attempt-result-and-errors.ts';
import { isLongRequest, type PacedExecutor } from '../limits/paced-executor.ts';
import type { AppliedPrice } from '../routing/price-candidate.ts';
import type { TokenCounter } from './token-counter.ts';

export interface Consumption {
  usage: Usage;
  source: 'reported' | 'counted' | 'estimated';
  /** Unit that the usage contains because the price has no rate for anything that was used; absent otherwise. */
  minimumUnit?: UnitCounterName;
}

/** Tokens of a prompt that takes milliseconds to read. Its body may be short, if the vendor has the history. */
const LONG_PROMPT_TOKENS = 50_000;

interface CountingParts {
  tokens: Pick<TokenCounter, 'count'>;
  pacedExecutor: PacedExecutor;
  settings: Pick<Settings, 'approximateTokens'>;
}
interface MeteredCall {
  request: ClientRequest;
  principal: { user: { id: number } };
}
type AttemptOutcome = Pick<AttemptResult, 'outcome' | 'meter' | 'isDelivered'> & {
  /** True if the client left, or has no right to its response, without a fault of the upstream or the gateway. */
  isLeftByClient?: boolean;
  /** True if the vendor bills what it withholds. */
  isBilled?: boolean;
};

/** Returns undefined when nothing is charged. */
export async function computeConsumption(
  parts: CountingParts,
  call: MeteredCall,
  candidate: { upstreamModel: string; price: Pick<AppliedPrice, 'rule'> },
  { outcome, meter: read, isDelivered, isLeftByClient, isBilled }: AttemptOutcome,
): Promise<Consumption | undefined> {
  if (read === undefined) return undefined;
  // The vendor bills a prompt that it has reported. A cache that it wrote makes the next call cheaper.
  const isPromptBilled = isLeftByClient && read.usage !== undefined && promptTokens(read.usage) > 0;
  const isWithheld = isBilled === true && read.usage !== undefined;
  if (outcome !== 'answered' && !isDelivered && !isPromptBilled && !isWithheld) return undefined;
  const meter = sanitizeMeter(call.request, read);
  const consumption = await countConsumption(parts, call, candidate, meter);
  return withMinimumUnit(call.request, meter, candidate.price.rule, consumption);
}

async function countConsumption(
  { tokens, pacedExecutor, settings }: CountingParts,
  { request, principal }: MeteredCall,
  { upstreamModel, price }: { upstreamModel: string; price: Pick<AppliedPrice, 'rule'> },
  meter: Meter,
): Promise<Consumption> {
  const atOnce = estimateNow(request, meter, price.rule);
  if (isBilledByUnit(request, price.rule) || atOnce.source === 'reported') return atOnce;
  if (settings.approximateTokens || isNothingKnown(request, meter)) return atOnce;
  const read = () => readTokenizerInput(request, meter, upstreamModel);
  const isLong = isLongRequest(request) || request.facts.inputTokensEstimate >= LONG_PROMPT_TOKENS;
  const texts = isLong ? await pacedExecutor.run(principal.user.id, read) : read();
  const purpose = { userId: principal.user.id, isSettlement: true };
  const counts = texts === undefined ? undefined : await tokens.count(texts, purpose);
  return counts === undefined ? atOnce : { usage: countedUsage(request, meter, counts), source: 'counted' };
}

/** Does the same synchronously: estimates whatever is not reported. */
export function estimateConsumption(request: ClientRequest, meter: Meter, rule: PriceRule): Consumption {
  return withMinimumUnit(request, meter, rule, estimateNow(request, sanitizeMeter(request, meter), rule));
}

/** Adds one unit for each delivered choice, or for each image if there are more. */
function withMinimumUnit(
  request: ClientRequest,
  { deliveredImages = 0, endedChoices = 0 }: Meter,
  rule: PriceRule,
  consumption: Consumption,
): Consumption {
  const minimumUnit = findRequestMinimum(request, rule, consumption.usage);
  if (minimumUnit === undefined) return consumption;
  const count = Math.max(1, endedChoices, minimumUnit === 'image' ? deliveredImages : 0);
  return { ...consumption, usage: { ...consumption.usage, [minimumUnit]: count }, minimumUnit };
}

/**
 * Returns the unit of which each choice costs at least one; undefined if the price has a rate for the operation's own
 * unit: an images request whose response has no image costs nothing.
 */
export function findRequestMinimum(
  { facts: { expected } }: Pick<ClientRequest, 'facts'>,
  rule: PriceRule,
  usage: Usage,
): UnitCounterName | undefined {
  return expected !== undefined && isPriced(rule, expected.unit) ? undefined : findMinimumUnit(rule, usage);
}

function estimateNow(request: ClientRequest, meter: Meter, rule: PriceRule): Consumption {
  const { expected } = request.facts;
  if (isBilledByUnit(request, rule) && expected !== undefined)
    return withSpokenSeconds(
      request,
      meter,
      rule,
      computeUnitUsage(request, expected, meter, isPriced(rule, expected.unit)),
    );
  if (meter.usage !== undefined && isFullyReported(meter)) return { usage: meter.usage, source: 'reported' };
  return { usage: isNothingKnown(request, meter) ? emptyUsage() : countedUsage(request, meter), source: 'estimated' };
}

/** Adds the seconds of the delivered speech if the price has a rate for them: no vendor reports them. */
function withSpokenSeconds(request: ClientRequest, meter: Meter, rule: PriceRule, units: Consumption): Consumption {
  if (request.operation !== 'speech' || rule.type === 'times' || (rule.rates.second ?? 0) === 0) return units;
  const usage = { ...units.usage, second: Math.ceil(countSpokenSeconds(request, meter)) };
  // Tokens and characters in addition to the seconds keep their source.
  if (isAnyTokenPriced(rule) || isPriced(rule, 'character')) return { usage, source: units.source };
  return { usage, source: meter.audioSeconds === undefined ? 'estimated' : 'counted' };
}

/**
 * Returns whether the request is billed by a unit other than tokens. A rerank is billed by its tokens unless searches
 * have a price.
 */
function isBilledByUnit({ facts: { expected } }: ClientRequest, rule: PriceRule): boolean {
  return expected !== undefined && (expected.unit !== 'search' || isPriced(rule, expected.unit));
}

function isPriced({ type, rates, image_rates }: PriceRule, unit: ExpectedUsage['unit']): boolean {
  const own = unit === 'image' || unit === 'second' ? Object.values(image_rates) : [];
  return type === 'times' || [rates[unit] ?? 0, ...own].some((rate) => rate > 0);
}

/** Operations whose responses contain no generated text. */
const operationsWithoutText: ReadonlySet<Operation> = new Set(['embeddings', 'moderation', 'rerank']);

/**
 * Returns whether a response has neither content nor a report. Each counter of each model is a report: an image of a
 * tool's model is billed although the response's own model reported nothing yet.
 */
function isNothingKnown({ operation }: ClientRequest, { usage, deliveredCharacters }: Meter): boolean {
  const isReported =
    usage !== undefined &&
    usageByModel(usage).some(
      (share) => share.implausible !== undefined || usageCounters.some((counter) => share[counter] > 0),
    );
  return !isReported && deliveredCharacters === 0 && !operationsWithoutText.has(operation);
}
