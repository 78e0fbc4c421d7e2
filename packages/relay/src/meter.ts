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
 * The estimate to bill by when the upstream reported no usage: about four characters per token in Latin and
 * other alphabetic scripts, about one and a half in Chinese, Japanese, Korean; images and files at a flat rate.
 * Output is zero when nothing was delivered.
 */
export function countedUsage(request: ClientRequest, meter: Meter): Usage {
  return {
    ...emptyUsage(),
    input: request.facts.inputTokensEstimate,
    output: tokensOf(meter.deliveredCharacters, meter.deliveredWideCharacters),
  };
}
