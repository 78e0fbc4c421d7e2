import type { AlertWords } from './words.ts';

export const enUs: AlertWords = {
  test: { title: 'Test message', text: 'Notifications arrive here.' },
  alerts: {
    'low-balance': ({ balance }) => ({
      title: 'Your balance is running low',
      text: `${balance} left. When it is used up, requests are refused.`,
    }),
    'key-spent': ({ key }) => ({
      title: 'A token has used up its quota',
      text: `The token ${key} has reached its quota or budget. Its requests are refused until the limit is raised or resets.`,
    }),
    'order-paid': ({ order, amount }) => ({
      title: 'Your payment has arrived',
      text: `${amount}, order ${order}. Your balance has been topped up.`,
    }),
    'order-failed': ({ order, amount }) => ({
      title: 'Your payment failed',
      text: `${amount}, order ${order}. Nothing was credited.`,
    }),
    'order-refunded': ({ order, amount }) => ({
      title: 'Your payment was refunded',
      text: `${amount}, order ${order}.`,
    }),
    'new-sign-in': ({ device, address, time }, moment) => ({
      title: 'New sign-in to your account',
      text: `${device}, ${address}, ${moment(time)}. If this was not you, change your password immediately.`,
    }),
    'channel-disabled': ({ channel, reason }) => ({
      title: `Channel disabled: ${channel}`,
      text: reason || 'It was disabled automatically.',
    }),
    'channel-enabled': ({ channel }) => ({
      title: `Channel enabled: ${channel}`,
      text: 'It responds again and was enabled automatically.',
    }),
    'error-rate': ({ channel, failed, requests, minutes }) => ({
      title: channel === '' ? 'Many requests fail' : `Many requests fail on channel ${channel}`,
      text: `${failed} of ${requests} requests failed in the last ${minutes} minutes.`,
    }),
    'spend-in-window': ({ spent, limit, minutes }) => ({
      title: 'Unusually high spending',
      text: `${spent} in the last ${minutes} minutes; the limit is ${limit}.`,
    }),
    'site-order-paid': ({ order, amount, username }) => ({
      title: 'An order was paid',
      text: `${amount} from ${username}, order ${order}.`,
    }),
    'site-order-failed': ({ order, amount, username }) => ({
      title: 'An order failed',
      text: `${amount} from ${username}, order ${order}.`,
    }),
    'site-refund-failed': ({ order, amount, username }) => ({
      title: 'A refund failed',
      text: `${amount} for ${username}, order ${order}. The buyer did not receive the money.`,
    }),
    'job-failed': ({ job, reason }) => ({ title: `Job failed: ${job}`, text: reason }),
    'books-differ': ({ usernames }) => ({
      title: 'Ledger discrepancy',
      text: `These users are locked until an administrator reviews them: ${usernames}.`,
    }),
    'new-version': ({ version }) => ({
      title: `Version ${version} is available`,
      text: 'Read the changelog before you update.',
    }),
  },
};
