import type { ClientRequest } from '../model/client-request.ts';
import type { Endpoint } from '../model/provider.ts';
import { getDialect } from './dialects.ts';

/** Returns whether the upstream supports the whole request, so that neither body nor response is translated. */
export function isSameDialect({ format, json }: ClientRequest, endpoint: Endpoint): boolean {
  if (format !== endpoint.format) return false;
  return endpoint.knowsClientTools === true || getDialect(format).hasClientTools?.(json) !== true;
}
