import type { Context } from '../../context.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import { OutboundRefused } from '../../platform/outbound/outbound-guard.ts';

/** The console waits longer for us, so that whoever asked is told. */
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
    })
    .catch((error: unknown) => {
      if (error instanceof OutboundRefused) throw fieldError('url', 'address-not-allowed', error.message);
      ctx.log.warn({ err: error, url: new URL(url).origin }, 'a list of models could not be fetched');
      const isLarge = error instanceof Error && error.message === 'The response is too large';
      throw isLarge
        ? fieldError('url', 'list-too-long', 'The response is larger than 8 MB')
        : fieldError('url', 'no-answer', 'The address did not respond', 'upstream-failed');
    });
  if (answer.status === 200) return answer.text;
  throw fieldError('url', 'no-answer', `The address returned status ${answer.status}`, 'upstream-failed');
}

/** An address without what may be a secret. */
export function redactUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
