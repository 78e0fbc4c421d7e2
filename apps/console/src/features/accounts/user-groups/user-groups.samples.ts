/** Wire responses of the user group routes, for tests. */
import type { groupWithUsage } from '@switchyard/contract/accounts/user-groups';
import type { z } from 'zod';

type WireGroup = z.input<typeof groupWithUsage>;

export function wireGroup(id: number, symbol: string, more: Partial<WireGroup> = {}): WireGroup {
  return {
    id,
    symbol,
    name: symbol,
    ratio: 1,
    api_rate: 600,
    tpm: 0,
    public: true,
    enable: true,
    order: 'weight',
    promotion: false,
    min: 0,
    max: 0,
    members: 0,
    tokens: 0,
    channels: 0,
    ...more,
  };
}
