import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';

/** A refusal says itself what there is to know; anything else is a fault of ours. */
export function logFailure({ log }: Context, error: unknown, sentence: string): void {
  if (error instanceof AppError) log.warn({ reason: error.message }, sentence);
  else log.error({ err: error }, sentence);
}
