import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import { paths } from '../../../paths.ts';

/** Codes to hand out, with their value and expiry. */
export interface PrintableCodes extends Pick<CodeBatch, 'name' | 'quota' | 'expires_time'> {
  codes: readonly string[];
}

/**
 * Returns the URL that redeems a code. The fragment holds the code, so that no server or proxy log records
 * it.
 * @param address site's URL without a trailing slash
 */
export function redeemUrl(address: string, code: string): string {
  return `${address}${paths.topUp}#${new URLSearchParams({ code })}`;
}
