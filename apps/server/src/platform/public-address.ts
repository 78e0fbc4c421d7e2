import { AppError } from './app-error.ts';

/**
 * The address under which people reach this site, without a trailing slash; links in mails begin with it. Never taken
 * from a request, whose Host header anybody can write.
 * @throws AppError `unavailable` when the operator has not set it
 */
export function publicAddress(ctx: {
  settings: { serverAddress: string };
  config: { publicUrl: string | undefined };
}): string {
  const address = ctx.settings.serverAddress || ctx.config.publicUrl;
  if (address === undefined || address === '')
    throw new AppError('not-set-up', 'The operator has not set the server address');
  return address.replace(/\/+$/, '');
}
