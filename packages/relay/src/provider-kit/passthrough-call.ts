import { readError } from '../errors/read-upstream-error.ts';
import type { UpstreamError } from '../errors/upstream-error.ts';
import type { Target } from '../model/provider.ts';
import type { ResponseHeaders } from '../model/upstream-exchange.ts';
import { buildAccountHeaders, buildUpstreamUrl } from './upstream-url-and-headers.ts';

/** Passthrough request, of which only the target URL is read. */
export interface PassthroughCall {
  readonly url: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  /** Reads an error; its message never contains the channel's credentials. */
  readError(status: number, headers: ResponseHeaders, body: Buffer): UpstreamError;
}

/** Client headers that are forwarded: those that describe the body or the desired response. */
const forwardedHeaders = [
  'accept',
  'content-type',
  'content-length',
  'openai-beta',
  'anthropic-beta',
  'anthropic-version',
];

/** @param address path and query. @param headers client's headers in lower case */
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
