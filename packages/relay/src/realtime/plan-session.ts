import type { ClientRequest } from '../client-request.ts';
import { InvalidRequest } from '../invalid-request.ts';
import type { Target } from '../provider.ts';
import { planRawCall, type RawCall } from '../raw-call.ts';

/** Where a session is opened, as an HTTP address, and with which headers; none of them is the client's. */
export function planSession(request: ClientRequest, target: Target): RawCall {
  const [endpoint] = target.provider.speaks.realtime ?? [];
  if (endpoint === undefined) throw new InvalidRequest(`${target.provider.label} does not serve realtime.`);
  const { path } = endpoint;
  return planRawCall(target, typeof path === 'string' ? path : path(target, request), {});
}
