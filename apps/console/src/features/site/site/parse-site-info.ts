import type { SiteInfo } from '@switchyard/contract/operations/site-info';

const kinds: { [K in keyof SiteInfo]: Kind<SiteInfo[K]> } = {
  version: 'string',
  start_time: 'number',
  system_name: 'string',
  logo: 'string',
  language: 'string',
  footer_html: 'string',
  server_address: 'string',
  top_up_link: 'string',
  chat_link: 'string',
  chat_links: 'string',
  quota_per_unit: 'number',
  display_in_currency: 'boolean',
  set_up_needed: 'boolean',
  register_enabled: 'boolean',
  register_invite_only: 'boolean',
  password_login: 'boolean',
  passkey_login: 'boolean',
  email_verification: 'boolean',
  password_reset: 'boolean',
  github_oauth: 'boolean',
  github_client_id: 'string',
  oidc_auth: 'boolean',
  lark_login: 'boolean',
  lark_client_id: 'string',
  wechat_login: 'boolean',
  wechat_qrcode: 'string',
  turnstile_check: 'boolean',
  turnstile_site_key: 'string',
  telegram_bot: 'string',
  status_page: 'boolean',
  PaymentUSDRate: 'number',
  PaymentMinAmount: 'number',
  RechargeDiscount: 'string',
  top_up_terms: 'string',
};
type Kind<T> = T extends string ? 'string' : T extends number ? 'number' : 'boolean';

/**
 * Checks the site information without the schema library, which would add half to the first load.
 * parse-site-info.test.ts compares this check with the contract's `siteInfo`.
 */
export function siteFrom(data: unknown): SiteInfo | undefined {
  return isSite(data) ? data : undefined;
}

function isSite(data: unknown): data is SiteInfo {
  if (typeof data !== 'object' || data === null) return false;
  const fields: Record<string, unknown> = { ...data };
  return Object.entries(kinds).every(([name, kind]) => typeof fields[name] === kind);
}
