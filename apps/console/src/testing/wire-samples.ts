import { getRightsOfRole, type Permission } from '@switchyard/contract/accounts/permissions';
import { type Role, role } from '@switchyard/contract/wire-enums';
import { z } from 'zod';

/** Wire responses as the server sends them, with integers for roles and statuses. */
const now = Math.floor(Date.now() / 1000);

export const wireSite = {
  version: 'v1.0.0',
  start_time: now,
  system_name: 'Test Gateway',
  logo: '',
  language: 'en_US',
  footer_html: '',
  server_address: 'https://ai.example.com',
  top_up_link: '',
  chat_link: '',
  chat_links: '',
  quota_per_unit: 500_000,
  display_in_currency: true,
  set_up_needed: false,
  register_enabled: true,
  register_invite_only: false,
  password_login: true,
  passkey_login: true,
  email_verification: false,
  password_reset: false,
  github_oauth: false,
  github_client_id: '',
  oidc_auth: false,
  lark_login: false,
  lark_client_id: '',
  wechat_login: false,
  wechat_qrcode: '',
  turnstile_check: false,
  turnstile_site_key: '',
  telegram_bot: '',
  status_page: false,
  PaymentUSDRate: 7.3,
  PaymentMinAmount: 1,
  RechargeDiscount: '{}',
  top_up_terms: '',
};

export const wireSelf = {
  id: 7,
  username: 'ada',
  display_name: 'Ada',
  email: '',
  avatar_url: '',
  role: 1,
  status: 1,
  group: 'default',
  quota: 5_000_000,
  used_quota: 0,
  request_count: 0,
  created_time: now - 1000,
  last_login_time: now,
  email_verified: false,
  has_password: true,
  language: '',
  notices: {
    new_sign_in: true,
    low_balance: true,
    low_balance_below: null,
    key_spent: true,
    order_paid: false,
    order_failed: false,
    order_refunded: true,
  },
  rights: ['user'],
};

/** Account that has no second factor and needs none. */
export const wireNoFactor = { totp: false, passkeys: 0, recovery_codes_left: 0, needed_from: null };

/** Returns the signed-in user with another role. */
export function wireSelfOf(of: Role, given: readonly Permission[] = []) {
  return { ...wireSelf, role: z.encode(role, of), rights: getRightsOfRole(of, given) };
}

export function wireApiKey(id: number, more: Record<string, unknown> = {}) {
  return {
    id,
    user_id: 7,
    name: `key ${id}`,
    key: `sk-ab…${1000 + id}`,
    revealable: true,
    status: 1,
    created_time: now - 100,
    accessed_time: 0,
    expired_time: -1,
    remain_quota: 500_000,
    unlimited_quota: false,
    used_quota: 0,
    spent: {
      day: { used: 0, resets_at: now + 3_600 },
      week: { used: 0, resets_at: now + 86_400 },
      month: { used: 0, resets_at: now + 864_000 },
    },
    group: '',
    backup_group: '',
    api_rate: 0,
    ratio: 1,
    tpm: 0,
    setting: {
      heartbeat: { enabled: false, timeout_seconds: 30 },
      strict_translation: false,
      limits: {
        limit_model_setting: { enabled: false, models: [] },
        limits_ip_setting: { enabled: false, whitelist: [] },
        budgets: { day: null, week: null, month: null },
      },
    },
    ...more,
  };
}

export function wirePage(data: unknown[], total = data.length) {
  return { data, page: 1, size: 50, total_count: total };
}
