import type { Role } from '@switchyard/contract/codes';
import ipaddr from 'ipaddr.js';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';

/**
 * Who may change what others pay signs in over an encrypted connection, or from this machine.
 * @throws AppError `insecure-connection`
 */
export function checkConnection(
  ctx: Context,
  { address, secure }: { address: string; secure: boolean },
  role: Role,
): void {
  if (role === 'user' || secure || isThisMachine(address) || ctx.config.plainHttpStaff) return;
  throw new AppError(
    'insecure-connection',
    'Staff sign in over HTTPS only. If a proxy encrypts, name it in TRUSTED_PROXIES; PLAIN_HTTP_STAFF=true allows plain HTTP',
  );
}

function isThisMachine(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
