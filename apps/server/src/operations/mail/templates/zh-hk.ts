import type { FactorKind, Words } from './template.ts';

const factor: Record<FactorKind, string> = { totp: '驗證器應用程式', passkey: '通行密鑰' };

export const zhHk: Words = {
  footer: ({ name, address }) => `您收到此電郵，是因為它與您在 ${name}（${address}）的帳戶有關。`,
  templates: {
    'verification-code': ({ code, minutes }, { name }) => ({
      subject: '您的驗證碼',
      body: [
        `請在 ${name} 輸入以下驗證碼，以確認您的電郵地址：`,
        { code },
        `驗證碼在 ${minutes} 分鐘內有效。我們絕不會透過電話或聊天向您索取。`,
        '如果不是您本人操作，請忽略此電郵；沒有驗證碼，甚麼都不會發生。',
      ],
    }),
    'already-registered': ({ signInLink, resetLink }, { name }) => ({
      subject: '您已經有帳戶',
      body: [
        `有人想用此電郵地址在 ${name} 註冊並索取驗證碼。此地址已有帳戶，因此沒有發出驗證碼。`,
        { link: signInLink, label: '登入' },
        '如果忘記了密碼，可以重新設定：',
        { link: resetLink, label: '重設密碼' },
        '如果不是您本人操作，請忽略此電郵；您的帳戶沒有任何變動。',
      ],
    }),
    'password-reset': ({ link, minutes }, { name }) => ({
      subject: '重設您的密碼',
      body: [
        `有人要求重設您在 ${name} 的帳戶密碼。`,
        { link, label: '設定新密碼' },
        `連結在 ${minutes} 分鐘內有效，只能使用一次。`,
        '如果不是您本人操作，請忽略此電郵，密碼不會改變。請勿將連結轉發給任何人。',
      ],
    }),
    'password-changed': (_values, { name, address }) => ({
      subject: '您的密碼已更改',
      body: [
        `您在 ${name} 的帳戶密碼已更改。`,
        '如果不是您本人操作，請立即在登入頁重設密碼，然後在個人設定中結束其他所有工作階段：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'new-sign-in': ({ device, address: from, time }, { name, address, moment }) => ({
      subject: '您的帳戶有新的登入',
      body: [
        `有人從一部我們未見過的裝置登入了您在 ${name} 的帳戶。`,
        `裝置：${device}`,
        `IP 地址：${from}`,
        `時間：${moment(time)}`,
        '如果是您本人，無需任何操作。如果不是，請立即更改密碼，並在個人設定中結束該工作階段：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    impersonated: ({ time, minutes }, { name, address, moment }) => ({
      subject: '網站管理員以您的身分登入了',
      body: [
        `${name} 的網站管理員登入了您的帳戶，以便看到您所看到的內容。`,
        `時間：${moment(time)}，最長 ${minutes} 分鐘`,
        '管理員只能查看，不能更改任何內容，也不能動用餘額。您可以在個人資料中看到這個工作階段，並將其結束：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'identity-bound': ({ provider }, { name, address }) => ({
      subject: `您的帳戶已綁定 ${provider}`,
      body: [
        `您在 ${name} 的帳戶已綁定 ${provider}，日後可以用它登入。`,
        '如果不是您本人操作，請立即更改密碼，並在個人設定中解除綁定：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'identity-unbound': ({ provider }, { name, address }) => ({
      subject: `您的帳戶已解除綁定 ${provider}`,
      body: [
        `您在 ${name} 的帳戶已不能再用 ${provider} 登入。`,
        '如果不是您本人操作，請立即更改密碼，並檢查您的個人設定：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'factor-added': ({ kind }, { name, address }) => ({
      subject: `您的帳戶已加入${factor[kind]}`,
      body: [
        `您在 ${name} 的帳戶已加入${factor[kind]}，用於登入驗證。`,
        '如果不是您本人操作，請立即更改密碼，並在個人設定中將其移除：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'factor-removed': ({ kind }, { name, address }) => ({
      subject: `您的帳戶已移除${factor[kind]}`,
      body: [
        `您在 ${name} 的帳戶已移除${factor[kind]}，登入時不再使用。`,
        '如果不是您本人操作，請立即更改密碼，並在個人設定中重新加入：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'email-changed': (_values, { name, address }) => ({
      subject: '您帳戶的電郵地址已更改',
      body: [
        `您在 ${name} 的帳戶已改用另一個電郵地址，日後的電郵將寄往新地址。`,
        '如果不是您本人操作，請立即登入，更改密碼並改回電郵地址；如果無法登入，請聯絡網站管理員：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'account-deleted': (_values, { name, address }) => ({
      subject: '您的帳戶已刪除',
      body: [
        `您在 ${name} 的帳戶已刪除，其令牌已失效。`,
        '如果不是您本人操作，請聯絡網站管理員：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    alert: ({ title, text, link }, { name }) => ({
      subject: title,
      body: [text, ...(link === '' ? [] : [{ link, label: `前往 ${name}` }])],
    }),
    'group-reached': ({ group }, { name, address }) => ({
      subject: '您已進入新的群組',
      body: [
        `多謝增值：您在 ${name} 的帳戶現已屬於「${group}」群組，其價格和限額即時生效。`,
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'smtp-test': (_values, { name }) => ({
      subject: '測試電郵',
      body: [`這是 ${name} 發出的測試電郵，電郵設定運作正常。`, '如果您不知道為何收到此電郵，請忽略。'],
    }),
  },
};
