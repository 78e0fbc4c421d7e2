/** Wire responses of the redemption code routes, for tests. */
import type { codeBatch, redemptionCode } from '@switchyard/contract/billing/redemption-codes';
import type { z } from 'zod';

type WireBatch = z.input<typeof codeBatch>;
type WireCode = z.input<typeof redemptionCode>;

export function wireBatch(id: number, name: string, more: Partial<WireBatch> = {}): WireBatch {
  return {
    id,
    name,
    quota: 5_000_000,
    count: 10,
    used: 3,
    unused: 7,
    prefix: '',
    expires_time: 0,
    per_user: 0,
    for_group: '',
    grant_group: '',
    enabled: true,
    created_time: 1_790_000_000,
    created_by: 'root',
    ...more,
  };
}

export function wireCode(id: number, hint: string, more: Partial<WireCode> = {}): WireCode {
  return {
    id,
    batch_id: 1,
    name: 'Spring',
    hint,
    status: 1,
    quota: 5_000_000,
    created_time: 1_790_000_000,
    expires_time: 0,
    redeemed_time: 0,
    redeemed_by: null,
    ...more,
  };
}
