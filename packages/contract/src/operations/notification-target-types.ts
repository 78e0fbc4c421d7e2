/**
 * Configuration fields of each type of notification channel. The console builds its form from them, and the server
 * validates with them.
 */

export const notificationTargetTypes = [
  'mail',
  'telegram',
  'lark',
  'dingtalk',
  'wecom',
  'slack',
  'discord',
  'bark',
  'ntfy',
  'webhook',
] as const;
export type NotificationTargetType = (typeof notificationTargetTypes)[number];

export interface NotificationTargetField {
  name: 'address' | 'secret' | 'to' | 'chat' | 'key' | 'topic' | 'token';
  /** `address` is the URL to call, `secret` signs or authenticates; both stay on the server. */
  kind: 'address' | 'secret' | 'text';
  required: boolean;
  /** Default value. */
  usual?: string;
}

export interface NotificationTargetTypeInfo {
  fields: readonly NotificationTargetField[];
  /** True if users may have one; false if only the site may. */
  own: boolean;
}

const address = { name: 'address', kind: 'address', required: true } as const;
const signingSecret = { name: 'secret', kind: 'secret', required: false } as const;

export const notificationTargetTypeInfo: Readonly<Record<NotificationTargetType, NotificationTargetTypeInfo>> = {
  // Users get mails at the confirmed address of their account.
  mail: { own: false, fields: [{ name: 'to', kind: 'text', required: true }] },
  // Users get messages in the Telegram account that they bound.
  telegram: { own: true, fields: [{ name: 'chat', kind: 'text', required: false }] },
  lark: { own: true, fields: [address, signingSecret] },
  dingtalk: { own: true, fields: [address, signingSecret] },
  wecom: { own: true, fields: [address] },
  slack: { own: true, fields: [address] },
  discord: { own: true, fields: [address] },
  bark: {
    own: true,
    fields: [
      { ...address, usual: 'https://api.day.app' },
      { name: 'key', kind: 'secret', required: true },
    ],
  },
  ntfy: {
    own: true,
    fields: [
      { ...address, usual: 'https://ntfy.sh' },
      { name: 'topic', kind: 'secret', required: true },
      { name: 'token', kind: 'secret', required: false },
    ],
  },
  webhook: { own: true, fields: [address, { ...signingSecret, required: true }] },
};

/** Returns the fields that the owner fills in. A user's Telegram chat is the bound account. */
export function listTargetFields(type: NotificationTargetType, isOwn: boolean): readonly NotificationTargetField[] {
  return isOwn && type === 'telegram' ? [] : notificationTargetTypeInfo[type].fields;
}
