/** Wire responses of the user routes, for tests. */
import type { visibleApiKey } from '@switchyard/contract/accounts/api-keys';
import type { user } from '@switchyard/contract/accounts/users';
import type { z } from 'zod';

type WireUser = z.input<typeof user>;

export function wireUser(id: number, username: string, more: Partial<WireUser> = {}): WireUser {
  return {
    id,
    username,
    display_name: '',
    email: '',
    avatar_url: '',
    role: 1,
    status: 1,
    group: 'default',
    quota: 1_000_000,
    used_quota: 0,
    request_count: 0,
    created_time: 1_700_000_000,
    last_login_time: 0,
    last_login_ip: '',
    held_quota: 0,
    staff_role: null,
    ledger_alarms: [],
    ...more,
  };
}

/** Returns another user's token as administrators see it. */
export function wireSeenKey(id: number, name: string): z.input<typeof visibleApiKey> {
  return {
    id,
    name,
    status: 1,
    group: '',
    ratio: 1,
    used_quota: 0,
    remain_quota: 0,
    unlimited_quota: true,
    api_rate: 0,
    created_time: 1_700_000_000,
    accessed_time: 0,
    expired_time: -1,
  };
}
