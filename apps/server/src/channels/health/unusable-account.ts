import type { Settings } from '@switchyard/contract/operations/settings';
import type { UpstreamError } from '@switchyard/relay';

/** The key or the account behind it is at fault. */
export function isAccountError({ kind }: UpstreamError): boolean {
  return kind === 'unauthorised' || kind === 'out-of-credit';
}

/** The same, or the operator's settings say so of such words. */
export function isUnusableAccountError(
  { disableChannelKeywords }: Pick<Settings, 'disableChannelKeywords'>,
  error: UpstreamError,
): boolean {
  if (isAccountError(error)) return true;
  if (disableChannelKeywords === '') return false;
  const message = error.message.toLowerCase();
  return disableChannelKeywords
    .split('\n')
    .some((line) => line.trim() !== '' && message.includes(line.trim().toLowerCase()));
}
