import { findBodyExcess } from '@switchyard/relay';
import { DEPTH_MAX, exceededLimit } from '@switchyard/relay/json';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import { LARGE_ANSWER_BYTES } from '../../platform/outbound/outbound.ts';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';

/** Timeout in milliseconds. The console waits longer, so that the user sees the error. */
const TIMEOUT_MS = 30_000;

/** @returns the text at the address. @throws AppError at the field `url` */
export async function fetchList(ctx: Context, url: string): Promise<string> {
  const answer = await ctx.outbound
    .fetchJson({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      proxy: '',
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGE_ANSWER_BYTES,
    })
    .catch((error: unknown) => {
      if (error instanceof AddressNotAllowedError) throw fieldError('url', 'address-not-allowed', error.message);
      ctx.log.warn({ err: error, url: new URL(url).origin }, 'a list of models could not be fetched');
      if (error instanceof AppError) throw error;
      const isLarge = error instanceof Error && error.message === 'The response is too large';
      throw isLarge
        ? fieldError('url', 'list-too-long', 'The response is larger than 8 MB')
        : fieldError('url', 'no-answer', 'The address did not respond', 'upstream-failed');
    });
  if (answer.status === 200) return answer.text;
  throw fieldError('url', 'no-answer', `The address returned status ${answer.status}`, 'upstream-failed');
}

/** Returns an address without the parts that may be secret. */
export function redactUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/**
 * @param field of the form that contains the list, for errors
 * @throws AppError if it is not JSON, nested too deep, or has so many values that parsing it would block the process
 */
export function parseList(text: string, field: string): unknown {
  if (exceededLimit(text, { depth: DEPTH_MAX, values: Number.POSITIVE_INFINITY }) === 'depth')
    throw fieldError(field, 'bad-json', `The list is nested deeper than ${DEPTH_MAX} levels`);
  const excess = findBodyExcess(Buffer.from(text));
  if (excess !== undefined) throw fieldError(field, 'list-too-long', `The list ${excess}`);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // Only the position, because the message quotes the list, which may be any response from the address.
    const where = /position \d+(?: \(line \d+ column \d+\))?/.exec(error instanceof Error ? error.message : '');
    throw fieldError(field, 'bad-json', `This is not valid JSON${where === null ? '' : `: see ${where[0]}`}`);
  }
}
