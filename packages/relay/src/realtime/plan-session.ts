import type { ClientRequest } from '../model/client-request.ts';
import { InvalidRequest } from '../model/invalid-request.ts';
import type { Target } from '../model/provider.ts';
import { type PassthroughCall, planPassthroughCall } from '../provider-kit/passthrough-call.ts';

/**
 * Returns the call that opens a session, as an HTTP URL with its headers. The client's only forwarded header is its API
 * version.
 */
export function planSession(request: ClientRequest, target: Target): PassthroughCall {
  const [endpoint] = target.provider.endpoints.realtime ?? [];
  if (endpoint === undefined) throw new InvalidRequest(`${target.provider.label} does not serve realtime.`);
  const { path } = endpoint;
  const beta = request.headers['openai-beta'];
  const said = beta === undefined ? {} : { 'openai-beta': beta };
  return planPassthroughCall(target, typeof path === 'string' ? path : path(target, request), said);
}
