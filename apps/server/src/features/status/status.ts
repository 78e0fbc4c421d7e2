/** What everyone may know about this site. */
import type { SiteInfo } from '@switchyard/contract/status';
import type { Context } from '../../context.ts';
import { version } from '../../platform/version.ts';
import { rootExists } from '../users/users.ts';

export async function readSiteInfo(ctx: Context): Promise<SiteInfo> {
  const { settings } = ctx;
  return {
    version,
    start_time: ctx.startTime,
    system_name: settings.systemName,
    logo: settings.logo,
    language: settings.language,
    footer_html: settings.footer,
    server_address: settings.serverAddress,
    top_up_link: settings.topUpLink,
    chat_link: settings.chatLink,
    chat_links: JSON.stringify(settings.chatLinks),
    quota_per_unit: settings.quotaPerUnit,
    display_in_currency: settings.displayInCurrency,
    set_up_needed: !(await rootExists(ctx.db.writer)),
    ...otherSignIns,
  };
}

/** Ways to sign in that this server does not offer; clients of the API expect the fields. */
const otherSignIns = {
  email_verification: false,
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
};
