import { AppError } from '../http/app-error.ts';

interface Site {
  settings: { serverAddress: string };
  config: { publicUrl: string | undefined };
}

const resolvePublicAddress = ({ settings, config }: Site): string => settings.serverAddress || (config.publicUrl ?? '');

/**
 * Returns the site's public address, without a trailing slash, for links in mails. Never taken from a request, whose
 * Host header can be forged.
 * @throws AppError `not-set-up` when the operator has not set it
 */
export function requirePublicAddress(site: Site): string {
  const address = resolvePublicAddress(site);
  if (address === '')
    throw new AppError(
      'not-set-up',
      'The public URL of this site is not set. Set the server address in the settings, or PUBLIC_URL.',
    );
  return address.replace(/\/+$/, '');
}

export function hasPublicAddress(site: Site): boolean {
  return resolvePublicAddress(site) !== '';
}
