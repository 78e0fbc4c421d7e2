import { z } from 'zod';
import { routes } from '../route.ts';

/** Public information about this site, which the console reads at its start. */
export const siteInfo = z.object({
  version: z.string(),
  start_time: z.int(),
  system_name: z.string(),
  logo: z.string(),
  language: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  top_up_link: z.string(),
  chat_link: z.string(),
  /** JSON text of a list of `{name, url, show, sort}`; `{key}` and `{server}` are placeholders in `url`. */
  chat_links: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  /** No root account exists yet. */
  set_up_needed: z.boolean(),
  /** True if visitors may create an account with a password. */
  register_enabled: z.boolean(),
  register_invite_only: z.boolean(),
  password_login: z.boolean(),
  passkey_login: z.boolean(),
  email_verification: z.boolean(),
  /** True if a forgotten password can be reset by mail. */
  password_reset: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  oidc_auth: z.boolean(),
  lark_login: z.boolean(),
  lark_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  telegram_bot: z.string(),
  /** True if `/api/status_page` is published. */
  status_page: z.boolean(),
  /** Yuan per USD, for payment gateways without their own rate. */
  PaymentUSDRate: z.number(),
  /** Whole USD. */
  PaymentMinAmount: z.number(),
  /** JSON text of a map: amount in USD → factor of its price. */
  RechargeDiscount: z.string(),
  /** Markdown. */
  top_up_terms: z.string(),
});
export type SiteInfo = z.output<typeof siteInfo>;

export const status = routes({
  get: {
    method: 'GET',
    path: '/api/status',
    access: 'anyone',
    summary: 'Retrieve the site information',
    answer: siteInfo,
  },
  notice: {
    method: 'GET',
    path: '/api/notice',
    access: 'anyone',
    summary: 'Retrieve the announcement, as Markdown',
    answer: z.string(),
  },
  about: {
    method: 'GET',
    path: '/api/about',
    access: 'anyone',
    summary: 'Retrieve the about page, as Markdown or a URL',
    answer: z.string(),
  },
  homePage: {
    method: 'GET',
    path: '/api/home_page_content',
    access: 'anyone',
    summary: 'Retrieve the home page, as Markdown or a URL',
    answer: z.string(),
  },
});
