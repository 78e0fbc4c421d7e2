import type { SettingName } from '@switchyard/contract/settings';

export type SettingControl =
  | 'switch'
  | 'number'
  | 'seconds'
  | 'points'
  | 'line'
  | 'url'
  | 'language'
  | 'lines'
  | 'markdown'
  | 'chat-links'
  | 'fallbacks';

export const settingControls: Record<SettingName, SettingControl> = {
  serverAddress: 'url',
  quotaPerUnit: 'number',
  displayInCurrency: 'switch',
  retryTimes: 'number',
  retryCooldownSeconds: 'seconds',
  approximateTokens: 'switch',
  modelFallbacks: 'fallbacks',
  sessionAffinity: 'switch',
  topUpLink: 'url',
  chatLink: 'line',
  chatLinks: 'chat-links',
  smtpServer: 'line',
  smtpPort: 'number',
  smtpAccount: 'line',
  smtpFrom: 'line',
  smtpToken: 'line',
  preConsumedQuota: 'points',
  quotaForNewUser: 'points',
  quotaForInviter: 'points',
  quotaForInvitee: 'points',
  concurrencyPerToken: 'number',
  concurrencyPerUser: 'number',
  concurrencyPerAddress: 'number',
  automaticDisableChannel: 'switch',
  automaticEnableChannel: 'switch',
  channelDisableThreshold: 'seconds',
  quotaRemindThreshold: 'points',
  disableChannelKeywords: 'lines',
  logConsume: 'switch',
  systemName: 'line',
  logo: 'url',
  language: 'language',
  footer: 'markdown',
  notice: 'markdown',
  about: 'markdown',
  homePage: 'markdown',
};
