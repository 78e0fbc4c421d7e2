import type { Role } from '@switchyard/contract/codes';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { isLoopback } from '../../platform/outbound/loopback.ts';

/**
 * Requires that callers who may change what others pay sign in over an encrypted connection or from this machine.
 * @throws AppError `insecure-connection`
 */
export function checkConnection(
  ctx: Context,
  { address, secure }: { address: string; secure: boolean },
  role: Role,
): void {
  if (role === 'user' || secure || isLoopback(address) || ctx.config.plainHttpStaff) return;
  throw new AppError(
    'insecure-connection',
    'Staff can sign in over HTTPS only. If a proxy terminates TLS, add it to TRUSTED_PROXIES, or set PLAIN_HTTP_STAFF=true to allow plain HTTP.',
  );
}
