import type { Language } from '@switchyard/contract/account';

/** What the bot answers to a code. */
export const replies: Readonly<Record<Language, Record<'bound' | 'taken' | 'unknown', string>>> = {
  en_US: {
    bound: 'Your Telegram account is now connected.',
    taken: 'This Telegram account, or the account on the site, is already connected. Disconnect it first.',
    unknown: 'This code is wrong or no longer valid. Get a new one in your profile.',
  },
  zh_CN: {
    bound: 'Telegram 账号已绑定。',
    taken: '此 Telegram 账号或您的站点账号已有绑定，请先解除绑定。',
    unknown: '绑定码错误或已失效，请在个人资料中重新获取。',
  },
  zh_HK: {
    bound: 'Telegram 帳戶已綁定。',
    taken: '此 Telegram 帳戶或您的網站帳戶已有綁定，請先解除綁定。',
    unknown: '綁定碼錯誤或已失效，請在個人資料中重新取得。',
  },
  ja_JP: {
    bound: 'Telegram アカウントを連携しました。',
    taken:
      'この Telegram アカウント、またはサイトのアカウントはすでに連携されています。先に解除してください。',
    unknown: 'コードが正しくないか、期限が切れています。プロフィールで新しいコードを取得してください。',
  },
};
