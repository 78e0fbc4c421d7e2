import type { CodeBatch, createBatch } from '@switchyard/contract/billing/redemption-codes';
import { POINTS_PER_USD, pointsAmount } from '@switchyard/contract/money';
import type { z } from 'zod';
import { paths } from '../../../paths.ts';

export type NewBatch = z.output<typeof createBatch>;
/** Expiry time of codes that do not expire. */
export const NEVER = 0;

export const newBatch: NewBatch = {
  name: '',
  quota: pointsAmount.parse(10 * POINTS_PER_USD),
  count: 10,
  prefix: '',
  expires_time: NEVER,
  per_user: 0,
  for_group: '',
  grant_group: '',
};

/** @param expiresTime UTC seconds, or `NEVER` */
export function hasExpired(expiresTime: number): boolean {
  return expiresTime !== NEVER && expiresTime * 1000 <= Date.now();
}

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
