import type { AlertWords } from './words.ts';

export const jaJp: AlertWords = {
  test: { title: 'テストメッセージ', text: '通知はここに届きます。' },
  alerts: {
    'low-balance': ({ balance }) => ({
      title: '残高が少なくなっています',
      text: `残高は ${balance} です。なくなるとリクエストは拒否されます。`,
    }),
    'key-spent': ({ key }) => ({
      title: 'トークンの利用枠を使い切りました',
      text: `トークン ${key} が利用枠または予算の上限に達しました。追加されるまでリクエストは拒否されます。`,
    }),
    'order-paid': ({ order, amount }) => ({
      title: 'お支払いを確認しました',
      text: `${amount}、注文 ${order}。残高に反映されました。`,
    }),
    'order-failed': ({ order, amount }) => ({
      title: 'お支払いに失敗しました',
      text: `${amount}、注文 ${order}。残高には反映されていません。`,
    }),
    'order-refunded': ({ order, amount }) => ({
      title: 'お支払いが返金されました',
      text: `${amount}、注文 ${order}。`,
    }),
    'new-sign-in': ({ device, address, time }, moment) => ({
      title: 'アカウントへの新しいサインイン',
      text: `${device}、${address}、${moment(time)}。心当たりがなければ、すぐにパスワードを変更してください。`,
    }),
    'channel-disabled': ({ channel, reason }) => ({
      title: `チャネルが無効になりました：${channel}`,
      text: reason || '自動的に外されました。',
    }),
    'channel-enabled': ({ channel }) => ({
      title: `チャネルが復帰しました：${channel}`,
      text: '応答が戻ったため、自動的に有効にしました。',
    }),
    'error-rate': ({ channel, failed, requests, minutes }) => ({
      title:
        channel === ''
          ? '多くのリクエストが失敗しています'
          : `チャネル ${channel} で多くのリクエストが失敗しています`,
      text: `直近 ${minutes} 分間に ${requests} 件中 ${failed} 件が失敗しました。`,
    }),
    'spend-in-window': ({ spent, limit, minutes }) => ({
      title: '利用額が急増しています',
      text: `直近 ${minutes} 分間の利用額は ${spent} です（上限 ${limit}）。`,
    }),
    'site-order-paid': ({ order, amount, username }) => ({
      title: '注文の支払いがありました',
      text: `${username} から ${amount}、注文 ${order}。`,
    }),
    'site-order-failed': ({ order, amount, username }) => ({
      title: '注文の支払いが失敗しました',
      text: `${username}、${amount}、注文 ${order}。`,
    }),
    'site-refund-failed': ({ order, amount, username }) => ({
      title: '返金が失敗しました',
      text: `${username}、${amount}、注文 ${order}。購入者は代金を受け取っていません。`,
    }),
    'job-failed': ({ job, reason }) => ({ title: `ジョブが失敗しました：${job}`, text: reason }),
    'books-differ': ({ usernames }) => ({
      title: '帳簿が一致しません',
      text: `確認が済むまで停止中のユーザー：${usernames}。`,
    }),
    'new-version': ({ version }) => ({
      title: `バージョン ${version} が公開されました`,
      text: '更新の前に変更内容をご確認ください。',
    }),
  },
};
