import type { AlertWords } from './words.ts';

export const zhCn: AlertWords = {
  test: { title: '测试消息', text: '通知会发送到这里。' },
  alerts: {
    'low-balance': ({ balance }) => ({
      title: '您的余额不足',
      text: `剩余 ${balance}，用完后请求将被拒绝。`,
    }),
    'key-spent': ({ key }) => ({
      title: '有令牌额度已用完',
      text: `令牌 ${key} 已达到额度或预算上限，补充之前其请求会被拒绝。`,
    }),
    'order-paid': ({ order, amount }) => ({
      title: '付款已到账',
      text: `${amount}，订单 ${order}。余额已充值。`,
    }),
    'order-failed': ({ order, amount }) => ({
      title: '付款失败',
      text: `${amount}，订单 ${order}。未入账。`,
    }),
    'order-refunded': ({ order, amount }) => ({
      title: '付款已退回',
      text: `${amount}，订单 ${order}。`,
    }),
    'new-sign-in': ({ device, address, time }, moment) => ({
      title: '您的账户有新的登录',
      text: `${device}，${address}，${moment(time)}。如果不是您本人，请立即修改密码。`,
    }),
    'channel-disabled': ({ channel, reason }) => ({
      title: `渠道已停用：${channel}`,
      text: reason || '已被系统自动停用。',
    }),
    'channel-enabled': ({ channel }) => ({
      title: `渠道已恢复：${channel}`,
      text: '该渠道恢复响应，已自动启用。',
    }),
    'error-rate': ({ channel, failed, requests, minutes }) => ({
      title: channel === '' ? '大量请求失败' : `渠道 ${channel} 大量请求失败`,
      text: `最近 ${minutes} 分钟内 ${requests} 个请求中有 ${failed} 个失败。`,
    }),
    'spend-in-window': ({ spent, limit, minutes }) => ({
      title: '消费异常偏高',
      text: `最近 ${minutes} 分钟消费 ${spent}，上限为 ${limit}。`,
    }),
    'site-order-paid': ({ order, amount, username }) => ({
      title: '有订单已付款',
      text: `${username} 支付 ${amount}，订单 ${order}。`,
    }),
    'site-order-failed': ({ order, amount, username }) => ({
      title: '有订单付款失败',
      text: `${username}，${amount}，订单 ${order}。`,
    }),
    'site-refund-failed': ({ order, amount, username }) => ({
      title: '有退款失败',
      text: `${username}，${amount}，订单 ${order}。买家没有收到款项。`,
    }),
    'job-failed': ({ job, reason }) => ({ title: `任务失败：${job}`, text: reason }),
    'books-differ': ({ usernames }) => ({
      title: '账目不符',
      text: `以下用户已暂停，等待人工核查：${usernames}。`,
    }),
    'new-version': ({ version }) => ({ title: `新版本 ${version} 已发布`, text: '更新前请先查看变更说明。' }),
  },
};
