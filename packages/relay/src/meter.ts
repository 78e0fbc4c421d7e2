import type { ClientRequest } from './exchange.ts';
import type { Meter } from './format.ts';
import { tokensOf } from './text-size.ts';
import { emptyUsage, type Usage } from './usage.ts';

/** A meter that its owner writes to. */
export class Tally implements Meter {
  usage: Usage | undefined = undefined;
  deliveredCharacters = 0;
  deliveredWideCharacters = 0;
  finished = false;
  error: { message: string; code?: string | undefined } | undefined = undefined;
}

/**
 * What to bill when the upstream reported no usage, or its stream broke off before the final report: about four
 * characters per token in Latin and other alphabetic scripts, about one and a half in Chinese, Japanese, Korean;
 * images and files at a flat rate. What was reported until then is kept (Anthropic reports the input first).
 * Output is zero when nothing was delivered.
 */
export function countedUsage(request: ClientRequest, meter: Meter): Usage {
  const counted = tokensOf(meter.deliveredCharacters, meter.deliveredWideCharacters);
  const { usage } = meter;
  if (usage === undefined) {
    return { ...emptyUsage(), input: request.facts.inputTokensEstimate, output: counted };
  }
  return { ...usage, output: Math.max(usage.output, counted - usage.reasoning) };
}
