import type { FactorKind, Words } from './template.ts';

const factor: Record<FactorKind, string> = { totp: '認証アプリ', passkey: 'パスキー' };

export const jaJp: Words = {
  footer: ({ name, address }) =>
    `このメールは、${name}（${address}）のアカウントに関するお知らせとしてお送りしています。`,
  templates: {
    'verification-code': ({ code, minutes }, { name }) => ({
      subject: '確認コードのお知らせ',
      body: [
        `メールアドレスを確認するため、次のコードを ${name} に入力してください。`,
        { code },
        `コードの有効期限は ${minutes} 分です。電話やチャットでコードをお尋ねすることはありません。`,
        'お心当たりがない場合は、このメールを無視してください。コードがなければ何も行われません。',
      ],
    }),
    'already-registered': ({ signInLink, resetLink }, { name }) => ({
      subject: 'すでにアカウントをお持ちです',
      body: [
        `このメールアドレスで ${name} に登録するための確認コードが請求されました。すでにアカウントがあるため、コードは発行していません。`,
        { link: signInLink, label: 'サインイン' },
        'パスワードをお忘れの場合は、再設定できます。',
        { link: resetLink, label: 'パスワードを再設定' },
        'お心当たりがない場合は、このメールを無視してください。アカウントに変更はありません。',
      ],
    }),
    'password-reset': ({ link, minutes }, { name }) => ({
      subject: 'パスワードの再設定',
      body: [
        `${name} のアカウントについて、パスワードの再設定が請求されました。`,
        { link, label: '新しいパスワードを設定' },
        `リンクの有効期限は ${minutes} 分で、使えるのは一度だけです。`,
        'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。リンクは誰にも転送しないでください。',
      ],
    }),
    'password-changed': (_values, { name, address }) => ({
      subject: 'パスワードが変更されました',
      body: [
        `${name} のアカウントのパスワードが変更されました。`,
        'お心当たりがない場合は、すぐにサインイン画面でパスワードを再設定し、プロフィールで他のセッションをすべて終了してください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'new-sign-in': ({ device, address: from, time }, { name, address, moment }) => ({
      subject: '新しい端末からのサインイン',
      body: [
        `これまで使われていない端末から、${name} のアカウントにサインインがありました。`,
        `端末：${device}`,
        `IP アドレス：${from}`,
        `日時：${moment(time)}`,
        'ご本人の場合は、何もする必要はありません。お心当たりがない場合は、すぐにパスワードを変更し、プロフィールでそのセッションを終了してください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    impersonated: ({ time, minutes }, { name, address, moment }) => ({
      subject: '運営者があなたとしてサインインしました',
      body: [
        `${name} の運営者が、あなたと同じ画面を確認するためにアカウントへサインインしました。`,
        `日時：${moment(time)}（最長 ${minutes} 分）`,
        '運営者は閲覧できるだけで、変更や利用はできません。このセッションはプロフィールで確認でき、終了させることもできます。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'identity-bound': ({ provider }, { name, address }) => ({
      subject: `アカウントに ${provider} が連携されました`,
      body: [
        `${name} のアカウントに ${provider} が連携され、今後は ${provider} でサインインできます。`,
        'お心当たりがない場合は、すぐにパスワードを変更し、プロフィールで連携を解除してください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'identity-unbound': ({ provider }, { name, address }) => ({
      subject: `${provider} との連携が解除されました`,
      body: [
        `${name} のアカウントに ${provider} ではサインインできなくなりました。`,
        'お心当たりがない場合は、すぐにパスワードを変更し、プロフィールをご確認ください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'factor-added': ({ kind }, { name, address }) => ({
      subject: `${factor[kind]}が追加されました`,
      body: [
        `${name} のアカウントのサインイン方法に${factor[kind]}が追加されました。`,
        'お心当たりがない場合は、すぐにパスワードを変更し、プロフィールで削除してください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'factor-removed': ({ kind }, { name, address }) => ({
      subject: `${factor[kind]}が削除されました`,
      body: [
        `${name} のアカウントのサインイン方法から${factor[kind]}が削除されました。`,
        'お心当たりがない場合は、すぐにパスワードを変更し、プロフィールで設定し直してください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'email-changed': (_values, { name, address }) => ({
      subject: 'メールアドレスが変更されました',
      body: [
        `${name} のアカウントのメールアドレスが変更されました。今後のメールは新しいアドレスに届きます。`,
        'お心当たりがない場合は、すぐにサインインして、パスワードとメールアドレスを変更してください。サインインできないときは、運営者にお問い合わせください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    'account-deleted': (_values, { name, address }) => ({
      subject: 'アカウントが削除されました',
      body: [
        `${name} のアカウントが削除されました。トークンは使えなくなっています。`,
        'お心当たりがない場合は、運営者にお問い合わせください。',
        { link: address, label: `${name} を開く` },
      ],
    }),
    alert: ({ title, text, link }, { name }) => ({
      subject: title,
      body: [text, ...(link === '' ? [] : [{ link, label: `${name} を開く` }])],
    }),
    'group-reached': ({ group }, { name, address }) => ({
      subject: '新しいグループになりました',
      body: [
        `チャージありがとうございます。${name} のアカウントは「${group}」グループになりました。このグループの料金と上限がすぐに適用されます。`,
        { link: address, label: `${name} を開く` },
      ],
    }),
    'smtp-test': (_values, { name }) => ({
      subject: 'テストメール',
      body: [
        `${name} から送信したテストメールです。メールの設定は正しく動作しています。`,
        'お心当たりがない場合は、このメールを無視してください。',
      ],
    }),
  },
};
