import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import { paths } from '../../../paths.ts';

/** Codes to be given away, with what people who get them want to know. */
export interface PrintableCodes extends Pick<CodeBatch, 'name' | 'quota' | 'expires_time'> {
  codes: readonly string[];
}

/**
 * Returns the address where a code is redeemed. The code stands behind the #, so that no server and no log on the way
 * sees it.
 * @param address of the site, without a slash at its end
 */
export function redeemUrl(address: string, code: string): string {
  return `${address}${paths.topUp}#${new URLSearchParams({ code })}`;
}
