import type { Words } from './words.ts';

export const jaJp: Words = {
  descriptions: {
    balance: '残高と今日の使用量',
    keys: 'トークン一覧',
    redeem: 'コードを使う: /redeem コード',
    recharge: 'チャージ',
    invite: '招待リンク',
    bind: 'アカウントを連携',
    unbind: '連携を解除',
    help: 'コマンド一覧',
  },
  points: (points) => `${points} ポイント`,
  help: '使えるコマンド:',
  unknownCommand: 'このコマンドはありません。/help で一覧を表示します。',
  howToBind: (link) =>
    `アカウントはまだ連携されていません。サイトのプロフィール${link === '' ? '' : `（${link}）`}で Telegram の「連携する」を押し、表示されたメッセージを送ってください。`,
  confirmBind: (username, site) =>
    `この Telegram アカウントを ${site} のアカウント「${username}」と連携します。ご自分のアカウントでない場合は、何も送らないでください。連携するには次を送ってください: /bind confirm`,
  bound: 'Telegram アカウントを連携しました。/help で使えるコマンドを表示します。',
  alreadyBound: (username) =>
    `この Telegram アカウントは ${username} と連携しています。解除するには /unbind を送ってください。`,
  taken: 'この Telegram アカウント、またはサイトのアカウントはすでに連携されています。先に解除してください。',
  bindingCodeUnknown:
    'コードが正しくないか、期限が切れています。プロフィールで新しいコードを取得してください。',
  confirmUnbind:
    '解除すると、このアカウントを認識できなくなります。解除するには次を送ってください: /unbind confirm',
  unbound: '連携を解除しました。',
  disabled: 'アカウントは無効になっています。サイトの管理者にお問い合わせください。',
  balance: ({ balance, held, usedToday }) =>
    `残高: ${balance}\n実行中のリクエストの確保分: ${held}\n今日の使用量（UTC）: ${usedToday}`,
  noKeys: 'トークンはまだありません。',
  keyStatus: { enabled: '有効', disabled: '無効', expired: '期限切れ', exhausted: '使い切り' },
  left: (amount) => `残り ${amount}`,
  unlimited: '個別の上限なし',
  moreKeys: (count) => `…ほか ${count} 件はサイトで確認できます。`,
  howToRedeem: 'コマンドの後にコードを付けてください: /redeem コード',
  redeemed: (amount, balance) => `${amount} を追加しました。残高: ${balance}`,
  codeRefused: {
    'code-unknown': 'このコードは見つかりません。入力内容を確認してください。',
    'code-used': 'このコードはすでに使われています。',
    'code-disabled': 'このコードは無効になっています。',
    'code-expired': 'このコードは有効期限が切れています。',
    'code-limit': 'この種類のコードは、1 アカウントの上限まで使用済みです。',
    'code-not-for-you': 'このコードは別のグループ専用です。',
    'not-allowed': 'コードを管理する権限があるため、自分では使用できません。',
  },
  tooManyTries: (minutes) => `間違いが多すぎます。${minutes} 分後にもう一度お試しください。`,
  balanceFull: '残高の上限を超えるため、追加できません。',
  topUp: (link) => `チャージはこちら: ${link}\nコードを使うには次を送ってください: /redeem コード`,
  invite: (link) => `招待リンク: ${link}`,
  noAddress: '管理者がサイトのアドレスを設定していないため、リンクがありません。',
  failed: 'サーバーの不具合により完了できませんでした。しばらくしてからお試しください。',
};
