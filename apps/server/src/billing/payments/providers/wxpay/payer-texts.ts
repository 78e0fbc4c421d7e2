/** Texts of the page in WeChat, in the languages of the console. */
import type { Language } from '@switchyard/contract/accounts/account';

interface PayerTexts {
  title: string;
  pay: string;
  expired: string;
  refused: string;
  failed: string;
}

export const payerTexts: Readonly<Record<Language, PayerTexts>> = {
  en_US: {
    title: 'WeChat Pay',
    pay: 'Pay',
    expired: 'This link is no longer valid. Please start again on the website.',
    refused: 'WeChat Pay refused this payment:',
    failed: 'WeChat Pay did not respond. Please open the link again.',
  },
  zh_CN: {
    title: '微信支付',
    pay: '支付',
    expired: '链接已失效，请回到网站重新下单。',
    refused: '微信支付拒绝了这笔付款：',
    failed: '微信支付没有响应，请重新打开链接。',
  },
  zh_HK: {
    title: '微信支付',
    pay: '付款',
    expired: '連結已失效，請返回網站重新下單。',
    refused: '微信支付拒絕了這筆付款：',
    failed: '微信支付沒有回應，請重新開啟連結。',
  },
  ja_JP: {
    title: 'WeChat Pay',
    pay: '支払う',
    expired: 'このリンクの有効期限が切れました。サイトでもう一度お手続きください。',
    refused: 'WeChat Pay で支払いが拒否されました：',
    failed: 'WeChat Pay から応答がありません。リンクをもう一度開いてください。',
  },
};

/** @param header `accept-language`; its first language counts */
export function payerLanguage(header = ''): Language {
  const first = /^\s*([\w-]+)/.exec(header)?.[1]?.toLowerCase() ?? '';
  if (/^zh-(hk|tw|mo|hant)/.test(first)) return 'zh_HK';
  if (first.startsWith('zh')) return 'zh_CN';
  return first.startsWith('ja') ? 'ja_JP' : 'en_US';
}
