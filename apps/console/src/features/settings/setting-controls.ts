import type { SettingName } from '@switchyard/contract/settings';

export type SettingControl =
  | 'switch'
  | 'number'
  | 'seconds'
  | 'days'
  | 'points'
  | 'usd'
  | 'percent'
  | 'line'
  | 'client-id'
  | 'secret'
  | 'domains'
  | 'url'
  | 'language'
  | 'lines'
  | 'paragraph'
  | 'markdown'
  | 'chat-links'
  | 'fallbacks'
  | 'discounts'
  | 'test-interval'
  | 'tested-channels';

export const settingControls: Record<SettingName, SettingControl> = {
  serverAddress: 'url',
  quotaPerUnit: 'number',
  displayInCurrency: 'switch',
  retryTimes: 'number',
  retrySeconds: 'seconds',
  claudeApi: 'switch',
  geminiApi: 'switch',
  storedResponseHours: 'number',
  keepConversations: 'switch',
  conversationDays: 'days',
  retryCooldownSeconds: 'seconds',
  approximateTokens: 'switch',
  modelFallbacks: 'fallbacks',
  sessionAffinity: 'switch',
  catalogueUrl: 'url',
  catalogueHours: 'number',
  versionUrl: 'url',
  topUpLink: 'url',
  chatLink: 'line',
  chatLinks: 'chat-links',
  registerEnabled: 'switch',
  passwordRegister: 'switch',
  registerInviteOnly: 'switch',
  emailVerification: 'switch',
  emailDomainRestriction: 'switch',
  emailDomains: 'domains',
  turnstileCheck: 'switch',
  turnstileSiteKey: 'line',
  turnstileSecret: 'secret',
  passwordLogin: 'switch',
  githubLogin: 'switch',
  githubClientId: 'client-id',
  githubClientSecret: 'secret',
  githubOldIdClose: 'switch',
  oidcLogin: 'switch',
  oidcIssuer: 'url',
  oidcClientId: 'client-id',
  oidcClientSecret: 'secret',
  oidcScopes: 'line',
  oidcUsernameClaims: 'line',
  larkLogin: 'switch',
  larkClientId: 'client-id',
  larkClientSecret: 'secret',
  wechatLogin: 'switch',
  wechatServerAddress: 'url',
  wechatServerToken: 'secret',
  wechatQrCode: 'url',
  telegramBotToken: 'secret',
  adminSecondFactor: 'switch',
  adminSecondFactorGraceDays: 'days',
  showKeysOnce: 'switch',
  smtpServer: 'line',
  smtpPort: 'number',
  smtpAccount: 'line',
  smtpToken: 'secret',
  smtpFrom: 'line',
  preConsumedQuota: 'points',
  quotaForNewUser: 'points',
  quotaForInviter: 'points',
  quotaForInvitee: 'points',
  paymentUsdRate: 'number',
  paymentMinAmount: 'usd',
  rechargeDiscount: 'discounts',
  topUpTerms: 'markdown',
  inviterSharePercent: 'percent',
  inviterShareTopUps: 'number',
  inviterRewardsPerMonth: 'number',
  invitationNeedsProof: 'switch',
  companyName: 'line',
  companyAddress: 'paragraph',
  companyTaxId: 'line',
  companyContact: 'line',
  taxName: 'line',
  taxPercent: 'percent',
  statementNote: 'paragraph',
  monthlyStatements: 'switch',
  concurrencyPerToken: 'number',
  concurrencyPerUser: 'number',
  concurrencyPerAddress: 'number',
  automaticDisableChannel: 'switch',
  automaticEnableChannel: 'switch',
  channelDisableThreshold: 'seconds',
  quotaRemindThreshold: 'points',
  disableChannelKeywords: 'lines',
  scheduledTestMinutes: 'test-interval',
  scheduledTestChannels: 'tested-channels',
  scheduledTestTag: 'line',
  scheduledTestPrefersFree: 'switch',
  scheduledTestRunCap: 'points',
  scheduledTestDayCap: 'points',
  statusPage: 'switch',
  logConsume: 'switch',
  systemName: 'line',
  logo: 'url',
  language: 'language',
  footer: 'markdown',
  notice: 'markdown',
  about: 'markdown',
  homePage: 'markdown',
};

/** Headings within a group; each stands before the first setting of its topic. */
export const settingTopics: Partial<
  Record<SettingName, 'turnstile' | 'github' | 'oidc' | 'lark' | 'wechat' | 'telegram' | 'scheduledTests'>
> = {
  turnstileCheck: 'turnstile',
  turnstileSiteKey: 'turnstile',
  turnstileSecret: 'turnstile',
  githubLogin: 'github',
  githubClientId: 'github',
  githubClientSecret: 'github',
  githubOldIdClose: 'github',
  oidcLogin: 'oidc',
  oidcIssuer: 'oidc',
  oidcClientId: 'oidc',
  oidcClientSecret: 'oidc',
  oidcScopes: 'oidc',
  oidcUsernameClaims: 'oidc',
  larkLogin: 'lark',
  larkClientId: 'lark',
  larkClientSecret: 'lark',
  wechatLogin: 'wechat',
  wechatServerAddress: 'wechat',
  wechatServerToken: 'wechat',
  wechatQrCode: 'wechat',
  telegramBotToken: 'telegram',
  scheduledTestMinutes: 'scheduledTests',
  scheduledTestChannels: 'scheduledTests',
  scheduledTestTag: 'scheduledTests',
  scheduledTestPrefersFree: 'scheduledTests',
  scheduledTestRunCap: 'scheduledTests',
  scheduledTestDayCap: 'scheduledTests',
};

/** Where a provider sends people back to: the last part of the address under which the console is reached. */
export const callbackPaths: Partial<Record<SettingName, string>> = {
  githubClientId: 'github',
  oidcClientId: 'oidc',
  larkClientId: 'lark',
};
