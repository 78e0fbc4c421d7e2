/**
 * What an answer consumed and how that is known. The rule: usage as the upstream reported it; where it reported none,
 * or nothing of what must have been there, or its stream broke off before the report, counted with the model's
 * vocabulary from what was asked and delivered; where the vocabulary is not known, estimated from the number of
 * characters. Nothing for an answer that broke off before anything was delivered, or that has neither content nor a
 * report.
 */
import type { Settings } from '@switchyard/contract/settings';
import {
  type ClientRequest,
  countable,
  countedUsage,
  emptyUsage,
  isFullyReported,
  type Meter,
  outputTokens,
  promptTokens,
  type Usage,
} from '@switchyard/relay';
import type { AttemptResult } from './attempt.ts';
import type { TokenCounter } from './token-counter.ts';

export interface Consumption {
  usage: Usage;
  source: 'reported' | 'counted' | 'estimated';
}

interface CountingParts {
  tokens: Pick<TokenCounter, 'count'>;
  settings: Pick<Settings, 'approximateTokens'>;
}
type Answered = Pick<AttemptResult, 'outcome' | 'meter' | 'isDelivered'>;

/** Undefined when nothing is to be paid. */
export async function consumptionOf(
  { tokens, settings }: CountingParts,
  request: ClientRequest,
  upstreamModel: string,
  { outcome, meter, isDelivered }: Answered,
): Promise<Consumption | undefined> {
  if (meter === undefined || (outcome !== 'answered' && !isDelivered)) return undefined;
  const atOnce = consumptionSoFar(request, meter);
  if (atOnce.source === 'reported' || settings.approximateTokens || isNothingKnown(request, meter))
    return atOnce;
  const texts = countable(request, meter, upstreamModel);
  const counts = texts === undefined ? undefined : await tokens.count(texts);
  return counts === undefined ? atOnce : { usage: countedUsage(request, meter, counts), source: 'counted' };
}

/** The same without waiting: what is not reported is estimated. */
export function consumptionSoFar(request: ClientRequest, meter: Meter): Consumption {
  if (meter.usage !== undefined && isFullyReported(meter)) return { usage: meter.usage, source: 'reported' };
  return {
    usage: isNothingKnown(request, meter) ? emptyUsage() : countedUsage(request, meter),
    source: 'estimated',
  };
}

function isNothingKnown({ operation }: ClientRequest, { usage, deliveredCharacters }: Meter): boolean {
  const isReported = usage !== undefined && promptTokens(usage) + outputTokens(usage) > 0;
  return !isReported && deliveredCharacters === 0 && operation !== 'embeddings';
}
