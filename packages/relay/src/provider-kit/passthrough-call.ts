import { readError } from '../errors/read-error.ts';
import type { UpstreamError } from '../errors/upstream-error.ts';
import type { ResponseHeaders } from '../model/exchange.ts';
import type { Target } from '../model/provider.ts';
import { buildAccountHeaders, buildUpstreamUrl } from './upstream-call.ts';

/** A call that is handed on as it is: nothing of it is read but where it goes. */
export interface PassthroughCall {
  readonly url: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  /** The message never contains the channel's credentials. */
  readError(status: number, headers: ResponseHeaders, body: Buffer): UpstreamError;
}

/**
 * Headers of a client that are forwarded: those that describe the body or the desired response. No others reach a
 * vendor.
 */
const forwardedHeaders = [
  'accept',
  'content-type',
  'content-length',
  'openai-beta',
  'anthropic-beta',
  'anthropic-version',
];

/** @param address path and query. @param headers of the client, lower case */
export function planPassthroughCall(target: Target, address: string, headers: ResponseHeaders): PassthroughCall {
  const url = buildUpstreamUrl(target, address);
  const said = forwardedHeaders.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const own = Object.entries(buildAccountHeaders(target, url)).filter(
    ([name]) => !(name === 'accept' || name === 'content-type') || headers[name] === undefined,
  );
  const all = new Map([...said, ...own, ['accept-encoding', 'identity'] as const]);
  return {
    url,
    headers: [...all].flat(),
    readError: (status, answered, body) => readError(target, status, answered, body),
  };
}
