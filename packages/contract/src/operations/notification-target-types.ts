/**
 * Configuration fields of each type of notification channel. The console builds its form from them, the server
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
  /** An `address` is called; a `secret` signs or opens; both stay on the server. */
  kind: 'address' | 'secret' | 'text';
  required: boolean;
  /** Stands there when nothing else is written. */
  usual?: string;
}

export interface NotificationTargetTypeInfo {
  fields: readonly NotificationTargetField[];
  /** Users may have it for themselves; else only the site. */
  own: boolean;
}

const address = { name: 'address', kind: 'address', required: true } as const;
const signingSecret = { name: 'secret', kind: 'secret', required: false } as const;

export const notificationTargetTypeInfo: Readonly<Record<NotificationTargetType, NotificationTargetTypeInfo>> = {
  // Users get mails at the address of their account, which is proven to be theirs.
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

/** The fields that its owner fills in: the chat of a user's Telegram is the bound account. */
export function listTargetFields(type: NotificationTargetType, isOwn: boolean): readonly NotificationTargetField[] {
  return isOwn && type === 'telegram' ? [] : notificationTargetTypeInfo[type].fields;
}
