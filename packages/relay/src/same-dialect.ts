import type { ClientRequest } from './client-request.ts';
import { dialectOf } from './dialects.ts';
import type { Endpoint } from './provider.ts';

/** Returns whether the upstream knows all that the request says, so that neither body nor answer is translated. */
export function isUnderstood({ format, json }: ClientRequest, endpoint: Endpoint): boolean {
  if (format !== endpoint.format) return false;
  return endpoint.knowsClientTools === true || dialectOf(format).hasClientTools?.(json) !== true;
}
