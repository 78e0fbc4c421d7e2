/** Page that starts a WeChat payment in WeChat's browser: https://pay.weixin.qq.com/doc/v3/merchant/4012791857 */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Language } from '@switchyard/contract/accounts/account-fields';
import { wechatPayTexts } from '../../../../locales/server-texts.ts';
import type { BuyerPage } from '../../payment-provider.ts';
import { signSha256 } from '../../rsa-signatures.ts';

export interface PrepaidOrder {
  appId: string;
  prepayId: string;
  privateKey: KeyObject;
  /** UTC seconds. */
  now: number;
  returnUrl: string;
}

/** Renders a page that opens WeChat's payment sheet, with a button to open it again. */
export function renderPaymentPage({ returnUrl, ...prepaid }: PrepaidOrder, language: Language): BuyerPage {
  const nonce = randomBytes(16).toString('base64');
  const script = `const call = ${scriptJson(signSheetParams(prepaid))};
const back = ${scriptJson(returnUrl)};
const pay = () => WeixinJSBridge.invoke('getBrandWCPayRequest', call, ({ err_msg: said }) => {
  if (said === 'get_brand_wcpay_request:ok') location.replace(back);
});
document.querySelector('button').addEventListener('click', pay);
if (typeof WeixinJSBridge === 'undefined') document.addEventListener('WeixinJSBridgeReady', pay);
else pay();`;
  const { pay } = wechatPayTexts[language];
  return renderPage(
    200,
    `<button>${escapeHtml(pay)}</button><script nonce="${nonce}">${script}</script>`,
    language,
    nonce,
  );
}

export function renderMessagePage(status: number, text: string, language: Language): BuyerPage {
  return renderPage(status, `<p>${escapeHtml(text)}</p>`, language, '');
}

function signSheetParams({ appId, prepayId, privateKey, now }: Omit<PrepaidOrder, 'returnUrl'>) {
  const [timeStamp, nonceStr] = [String(now), randomBytes(16).toString('hex')];
  const prepared = `prepay_id=${prepayId}`;
  const paySign = signSha256(`${[appId, timeStamp, nonceStr, prepared].join('\n')}\n`, privateKey);
  return { appId, timeStamp, nonceStr, package: prepared, signType: 'RSA', paySign };
}

function renderPage(status: number, content: string, language: Language, nonce: string): BuyerPage {
  const { title } = wechatPayTexts[language];
  const scripts = nonce === '' ? "'none'" : `'nonce-${nonce}'`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // WeChat's bridge uses frames with private schemes, so the policy does not restrict frames.
      'content-security-policy': `script-src ${scripts}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="${language.replace('_', '-')}"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><body>${content}</body></html>`,
  };
}

/** Returns JSON that cannot end the surrounding script. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @param header `accept-language`; its first language counts */
export function payerLanguage(header = ''): Language {
  const first = /^\s*([\w-]+)/.exec(header)?.[1]?.toLowerCase() ?? '';
  if (/^zh-(hk|tw|mo|hant)/.test(first)) return 'zh_HK';
  if (first.startsWith('zh')) return 'zh_CN';
  return first.startsWith('ja') ? 'ja_JP' : 'en_US';
}
