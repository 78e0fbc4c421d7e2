/** Public information about this site. */
import type { Settings } from '@switchyard/contract/operations/settings';
import type { SiteInfo } from '@switchyard/contract/operations/site-info';
import { rootExists } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { version } from '../../platform/version.ts';
import { isMailConfigured } from '../mail/mail.ts';
import { getBotName } from '../telegram/telegram.ts';

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
    ...presentRegistration(settings),
    password_reset: isMailConfigured(ctx),
    ...presentSignIns(settings),
    telegram_bot: getBotName(ctx),
    status_page: settings.statusPage,
    ...presentPayment(settings),
  };
}

function presentRegistration(settings: Settings) {
  return {
    register_enabled: settings.registerEnabled && settings.passwordRegister,
    register_invite_only: settings.registerInviteOnly,
    email_verification: settings.emailVerification,
    turnstile_check: settings.turnstileCheck,
    turnstile_site_key: settings.turnstileCheck ? settings.turnstileSiteKey : '',
  };
}

/** Uses the names of the public API. */
function presentPayment(settings: Settings) {
  return {
    PaymentUSDRate: settings.paymentUsdRate,
    PaymentMinAmount: settings.paymentMinAmount,
    RechargeDiscount: JSON.stringify(settings.rechargeDiscount),
    top_up_terms: settings.topUpTerms,
  };
}

/** Returns client ids and addresses of enabled sign-in methods only; others stay private. */
function presentSignIns(settings: Settings) {
  return {
    password_login: settings.passwordLogin,
    passkey_login: true,
    github_oauth: settings.githubLogin,
    github_client_id: settings.githubLogin ? settings.githubClientId : '',
    oidc_auth: settings.oidcLogin,
    lark_login: settings.larkLogin,
    lark_client_id: settings.larkLogin ? settings.larkClientId : '',
    wechat_login: settings.wechatLogin,
    wechat_qrcode: settings.wechatLogin ? settings.wechatQrCode : '',
  };
}
