/**
 * What an answer consumed and how that is known. The rule: usage as the upstream reported it; where it reported none,
 * or its stream broke off before the report, counted with the model's vocabulary from what was delivered; where the
 * vocabulary is not known, estimated from the number of characters. Nothing for an answer that broke off before
 * anything was delivered.
 */
import {
  type ClientRequest,
  countable,
  countedUsage,
  emptyUsage,
  type Meter,
  type Usage,
} from '@switchyard/relay';
import type { AttemptResult } from './attempt.ts';
import type { GatewayParts } from './gateway-parts.ts';

export interface Consumption {
  usage: Usage;
  source: 'reported' | 'counted' | 'estimated';
}

type Answered = Pick<AttemptResult, 'outcome' | 'meter'>;

/** Undefined when nothing is to be paid. */
export async function consumptionOf(
  { tokens, settings }: Pick<GatewayParts, 'tokens' | 'settings'>,
  request: ClientRequest,
  upstreamModel: string,
  { outcome, meter }: Answered,
): Promise<Consumption | undefined> {
  if (meter === undefined || (outcome !== 'answered' && meter.deliveredCharacters === 0)) return undefined;
  const atOnce = consumptionSoFar(request, meter);
  if (atOnce.source !== 'estimated' || settings.approximateTokens) return atOnce;
  const texts = countable(request, meter, upstreamModel);
  const counts = texts === undefined ? undefined : await tokens.count(texts);
  return counts === undefined ? atOnce : { usage: countedUsage(request, meter, counts), source: 'counted' };
}

/** The same without waiting: what is not reported is estimated. */
export function consumptionSoFar(request: ClientRequest, meter: Meter): Consumption {
  // A report from the middle of a stream that broke off does not know the output yet.
  if (meter.usage !== undefined && meter.finished) return { usage: meter.usage, source: 'reported' };
  const isNothingKnown =
    meter.usage === undefined && meter.deliveredCharacters === 0 && request.operation !== 'embeddings';
  return { usage: isNothingKnown ? emptyUsage() : countedUsage(request, meter), source: 'estimated' };
}
