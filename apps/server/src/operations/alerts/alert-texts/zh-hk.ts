import type { AlertWords } from './words.ts';

export const zhHk: AlertWords = {
  test: { title: '測試訊息', text: '通知會傳送到這裏。' },
  alerts: {
    'low-balance': ({ balance }) => ({
      title: '您的餘額不足',
      text: `剩餘 ${balance}，用完後請求將被拒絕。`,
    }),
    'key-spent': ({ key }) => ({
      title: '有令牌額度已用完',
      text: `令牌 ${key} 已達到額度或預算上限，補充之前其請求會被拒絕。`,
    }),
    'order-paid': ({ order, amount }) => ({
      title: '付款已入帳',
      text: `${amount}，訂單 ${order}。餘額已增值。`,
    }),
    'order-failed': ({ order, amount }) => ({
      title: '付款失敗',
      text: `${amount}，訂單 ${order}。未有入帳。`,
    }),
    'order-refunded': ({ order, amount }) => ({
      title: '付款已退回',
      text: `${amount}，訂單 ${order}。`,
    }),
    'new-sign-in': ({ device, address, time }, moment) => ({
      title: '您的帳戶有新的登入',
      text: `${device}，${address}，${moment(time)}。如果不是您本人，請立即更改密碼。`,
    }),
    'channel-disabled': ({ channel, reason }) => ({
      title: `渠道已停用：${channel}`,
      text: reason || '已被系統自動停用。',
    }),
    'channel-enabled': ({ channel }) => ({
      title: `渠道已恢復：${channel}`,
      text: '該渠道恢復回應，已自動啟用。',
    }),
    'error-rate': ({ channel, failed, requests, minutes }) => ({
      title: channel === '' ? '大量請求失敗' : `渠道 ${channel} 大量請求失敗`,
      text: `最近 ${minutes} 分鐘內 ${requests} 個請求中有 ${failed} 個失敗。`,
    }),
    'spend-in-window': ({ spent, limit, minutes }) => ({
      title: '消費異常偏高',
      text: `最近 ${minutes} 分鐘消費 ${spent}，上限為 ${limit}。`,
    }),
    'site-order-paid': ({ order, amount, username }) => ({
      title: '有訂單已付款',
      text: `${username} 支付 ${amount}，訂單 ${order}。`,
    }),
    'site-order-failed': ({ order, amount, username }) => ({
      title: '有訂單付款失敗',
      text: `${username}，${amount}，訂單 ${order}。`,
    }),
    'site-refund-failed': ({ order, amount, username }) => ({
      title: '有退款失敗',
      text: `${username}，${amount}，訂單 ${order}。買家沒有收到款項。`,
    }),
    'job-failed': ({ job, reason }) => ({ title: `工作失敗：${job}`, text: reason }),
    'books-differ': ({ usernames }) => ({
      title: '帳目不符',
      text: `以下使用者已暫停，等待人手核查：${usernames}。`,
    }),
    'new-version': ({ version }) => ({ title: `新版本 ${version} 已推出`, text: '更新前請先查看變更說明。' }),
  },
};
