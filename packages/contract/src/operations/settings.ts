/** Run-time settings. `option` is the setting's name in the public API; its values are transferred as text. */
import { z } from 'zod';
import { language, seconds } from '../accounts/account-fields.ts';
import { AMOUNT_MAX_USD } from '../billing/top-up-cost-and-currencies.ts';
import { auditEntryId } from '../ids.ts';
import { emptyData, LARGE_BODY_BYTES, listQuery, paged, routes } from '../route.ts';
import { batchSettings, taskSettings } from '../tasks/task-and-batch-settings.ts';
import { monitoringSettings } from './monitoring-settings.ts';
import {
  chatAddress,
  chatLinks,
  concurrency,
  discounts,
  domains,
  flag,
  id,
  line,
  link,
  mailSender,
  mailServer,
  text,
  trustedAddress,
  wholeNumber,
  words,
} from './setting-schemas.ts';

interface Definition {
  option: string;
  group:
    | 'general'
    | 'registration'
    | 'sign-in'
    | 'security'
    | 'mail'
    | 'quota'
    | 'payment'
    | 'invitations'
    | 'company'
    | 'limits'
    | 'monitoring'
    | 'tasks'
    | 'batches'
    | 'alerts'
    | 'log'
    | 'backups'
    | 'customisation';
  schema: z.ZodType;
  default: unknown;
  /** Marks a write-only value: stored encrypted, returned as a hint. */
  secret?: true;
}

function define<const D extends Readonly<Record<string, Definition>>>(definitions: D): D {
  return definitions;
}

function secret<const O extends string, const G extends Definition['group']>(option: O, group: G) {
  return { option, group, schema: line, default: '', secret: true } as const;
}

export const settingDefinitions = define({
  serverAddress: { option: 'ServerAddress', group: 'general', schema: link, default: '' },
  /** Points per USD. Whole, so that each order buys whole points; the largest order stays exact at its maximum. */
  quotaPerUnit: {
    option: 'QuotaPerUnit',
    group: 'general',
    schema: z.int().min(1).max(1_000_000_000),
    default: 500_000,
  },
  displayInCurrency: { option: 'DisplayInCurrencyEnabled', group: 'general', schema: flag, default: true },
  retryTimes: { option: 'RetryTimes', group: 'general', schema: z.int().min(0).max(10), default: 2 },
  retryCooldownSeconds: {
    option: 'RetryCooldownSeconds',
    group: 'general',
    schema: z.int().min(0).max(3600),
    default: 5,
  },
  /**
   * Seconds within which all attempts of a request together must produce the first content; the first attempt alone
   * may take longer.
   */
  retrySeconds: { option: 'RetryTimeOut', group: 'general', schema: z.int().min(1).max(600), default: 90 },
  claudeApi: { option: 'ClaudeAPIEnabled', group: 'general', schema: flag, default: true },
  geminiApi: { option: 'GeminiAPIEnabled', group: 'general', schema: flag, default: true },
  /** Hours for which a response of the Responses API can be continued by its id; 0: nothing is stored. */
  storedResponseHours: {
    option: 'StoredResponseHours',
    group: 'general',
    schema: z.int().min(0).max(8_760),
    default: 72,
  },
  /** Stores the playground's conversations for their users. */
  keepConversations: { option: 'KeepConversationsEnabled', group: 'general', schema: flag, default: true },
  /** Days without a change after which conversations are deleted; 0: never. */
  conversationDays: { option: 'ConversationDays', group: 'general', schema: z.int().min(0).max(3_650), default: 0 },
  /**
   * Estimates the tokens of prompts and responses without reported usage by their length instead of tokenizing them.
   */
  approximateTokens: { option: 'ApproximateTokenEnabled', group: 'general', schema: flag, default: false },
  /** Requested model → fallback models, in order, for when no channel can serve it. */
  modelFallbacks: {
    option: 'ModelFallbacks',
    group: 'general',
    schema: z.record(z.string().min(1).max(128), z.array(z.string().min(1).max(128)).max(10)),
    default: {},
  },
  /** Keeps a conversation on one channel, for its vendor's prompt cache. */
  sessionAffinity: { option: 'SessionAffinityEnabled', group: 'general', schema: flag, default: true },
  /** URL from which the list of models and prices is refreshed. Changes apply only after approval. */
  catalogueUrl: { option: 'CatalogueURL', group: 'general', schema: trustedAddress, default: '' },
  /** Hours between two refreshes; 0: never. */
  catalogueHours: { option: 'CatalogueRefreshHours', group: 'general', schema: z.int().min(0).max(720), default: 0 },
  /** URL that is queried daily for the newest version; empty: none. */
  versionUrl: { option: 'VersionCheckURL', group: 'general', schema: trustedAddress, default: '' },
  topUpLink: { option: 'TopUpLink', group: 'general', schema: link, default: '' },
  chatLink: { option: 'ChatLink', group: 'general', schema: chatAddress, default: '' },
  chatLinks: { option: 'ChatLinks', group: 'general', schema: chatLinks, default: [] },

  registerEnabled: { option: 'RegisterEnabled', group: 'registration', schema: flag, default: true },
  passwordRegister: { option: 'PasswordRegisterEnabled', group: 'registration', schema: flag, default: true },
  registerInviteOnly: { option: 'RegisterInviteOnlyEnabled', group: 'registration', schema: flag, default: false },
  emailVerification: { option: 'EmailVerificationEnabled', group: 'registration', schema: flag, default: false },
  emailDomainRestriction: {
    option: 'EmailDomainRestrictionEnabled',
    group: 'registration',
    schema: flag,
    default: false,
  },
  emailDomains: {
    option: 'EmailDomainWhitelist',
    group: 'registration',
    schema: domains,
    default: [
      'gmail.com',
      '163.com',
      '126.com',
      'qq.com',
      'outlook.com',
      'hotmail.com',
      'icloud.com',
      'yahoo.com',
      'foxmail.com',
    ],
  },
  turnstileCheck: { option: 'TurnstileCheckEnabled', group: 'registration', schema: flag, default: false },
  turnstileSiteKey: { option: 'TurnstileSiteKey', group: 'registration', schema: id, default: '' },
  turnstileSecret: secret('TurnstileSecretKey', 'registration'),

  passwordLogin: { option: 'PasswordLoginEnabled', group: 'sign-in', schema: flag, default: true },
  githubLogin: { option: 'GitHubOAuthEnabled', group: 'sign-in', schema: flag, default: false },
  githubClientId: { option: 'GitHubClientId', group: 'sign-in', schema: id, default: '' },
  githubClientSecret: secret('GitHubClientSecret', 'sign-in'),
  /** Read by old consoles only: GitHub names can be taken over, so only the numeric id identifies a user. */
  githubOldIdClose: { option: 'GitHubOldIdCloseEnabled', group: 'sign-in', schema: flag, default: true },
  oidcLogin: { option: 'OIDCAuthEnabled', group: 'sign-in', schema: flag, default: false },
  oidcIssuer: { option: 'OIDCIssuer', group: 'sign-in', schema: trustedAddress, default: '' },
  oidcClientId: { option: 'OIDCClientId', group: 'sign-in', schema: id, default: '' },
  oidcClientSecret: secret('OIDCClientSecret', 'sign-in'),
  oidcScopes: { option: 'OIDCScopes', group: 'sign-in', schema: words, default: 'openid,email,profile' },
  oidcUsernameClaims: { option: 'OIDCUsernameClaims', group: 'sign-in', schema: words, default: 'preferred_username' },
  larkLogin: { option: 'LarkAuthEnabled', group: 'sign-in', schema: flag, default: false },
  larkClientId: { option: 'LarkClientId', group: 'sign-in', schema: id, default: '' },
  larkClientSecret: secret('LarkClientSecret', 'sign-in'),
  wechatLogin: { option: 'WeChatAuthEnabled', group: 'sign-in', schema: flag, default: false },
  wechatServerAddress: { option: 'WeChatServerAddress', group: 'sign-in', schema: link, default: '' },
  wechatServerToken: secret('WeChatServerToken', 'sign-in'),
  wechatQrCode: { option: 'WeChatAccountQRCodeImageURL', group: 'sign-in', schema: link, default: '' },
  telegramBotToken: secret('TelegramBotToken', 'sign-in'),
  /** Receives messages by a webhook; otherwise the server polls for them. */
  telegramWebhook: { option: 'TelegramWebhookEnabled', group: 'sign-in', schema: flag, default: false },

  /** Requires a second factor of administrators. */
  adminSecondFactor: { option: 'AdminSecondFactorEnabled', group: 'security', schema: flag, default: true },
  /** Days in which an administrator without a second factor can still sign in. */
  adminSecondFactorGraceDays: {
    option: 'AdminSecondFactorGraceDays',
    group: 'security',
    schema: z.int().min(0).max(90),
    default: 7,
  },
  /** Shows a token's key once, when it is created. */
  showKeysOnce: { option: 'TokensShownOnceEnabled', group: 'security', schema: flag, default: false },

  smtpServer: { option: 'SMTPServer', group: 'mail', schema: mailServer, default: '' },
  smtpPort: { option: 'SMTPPort', group: 'mail', schema: z.int().min(1).max(65_535), default: 587 },
  smtpAccount: { option: 'SMTPAccount', group: 'mail', schema: line, default: '' },
  smtpToken: secret('SMTPToken', 'mail'),
  smtpFrom: { option: 'SMTPFrom', group: 'mail', schema: mailSender, default: '' },

  preConsumedQuota: { option: 'PreConsumedQuota', group: 'quota', schema: wholeNumber, default: 500 },
  quotaForNewUser: { option: 'QuotaForNewUser', group: 'quota', schema: wholeNumber, default: 0 },
  quotaForInviter: { option: 'QuotaForInviter', group: 'quota', schema: wholeNumber, default: 0 },
  quotaForInvitee: { option: 'QuotaForInvitee', group: 'quota', schema: wholeNumber, default: 0 },

  /** Yuan per USD, for payment providers without their own rate. */
  paymentUsdRate: {
    option: 'PaymentUSDRate',
    group: 'payment',
    schema: z.number().positive().max(1_000_000),
    default: 7.3,
  },
  /** Minimum top-up in USD. */
  paymentMinAmount: {
    option: 'PaymentMinAmount',
    group: 'payment',
    schema: z.int().min(1).max(AMOUNT_MAX_USD),
    default: 1,
  },
  rechargeDiscount: { option: 'RechargeDiscount', group: 'payment', schema: discounts, default: {} },
  /** Markdown text beside the buy button. */
  topUpTerms: { option: 'TopUpTerms', group: 'payment', schema: text, default: '' },

  /** Percentage of an invited user's first top-ups that the inviter receives. */
  inviterSharePercent: {
    option: 'InviterSharePercent',
    group: 'invitations',
    schema: z.number().min(0).max(100),
    default: 0,
  },
  /** Number of top-ups of each invited user that are shared. */
  inviterShareTopUps: {
    option: 'InviterShareTopUps',
    group: 'invitations',
    schema: z.int().min(1).max(1000),
    default: 1,
  },
  /** Maximum invitations for which a user is rewarded within 30 days; 0: no limit. */
  inviterRewardsPerMonth: {
    option: 'InviterRewardsPerMonth',
    group: 'invitations',
    schema: z.int().min(0).max(1_000_000),
    default: 0,
  },
  /** Rewards an invitation only if the invited user has a confirmed mail address or an external identity. */
  invitationNeedsProof: { option: 'InvitationNeedsProofEnabled', group: 'invitations', schema: flag, default: false },

  /** Name on receipts and statements. */
  companyName: { option: 'CompanyName', group: 'company', schema: line, default: '' },
  companyAddress: { option: 'CompanyAddress', group: 'company', schema: z.string().max(1000), default: '' },
  companyTaxId: { option: 'CompanyTaxId', group: 'company', schema: line, default: '' },
  companyContact: { option: 'CompanyContact', group: 'company', schema: line, default: '' },
  /** Name of the tax, for instance VAT; prices include it. */
  taxName: { option: 'TaxName', group: 'company', schema: line, default: '' },
  taxPercent: { option: 'TaxPercent', group: 'company', schema: z.number().min(0).max(100), default: 0 },
  statementNote: { option: 'StatementNote', group: 'company', schema: z.string().max(2000), default: '' },
  /** Creates statements for every user at the beginning of the next month. */
  monthlyStatements: { option: 'UserInvoiceMonth', group: 'company', schema: flag, default: true },

  /** Maximum concurrent requests of a token; 0: no limit. */
  concurrencyPerToken: { option: 'ConcurrencyPerToken', group: 'limits', schema: concurrency, default: 20 },
  concurrencyPerUser: { option: 'ConcurrencyPerUser', group: 'limits', schema: concurrency, default: 50 },
  concurrencyPerAddress: { option: 'ConcurrencyPerAddress', group: 'limits', schema: concurrency, default: 100 },
  /** Maximum API tokens of a user; administrators have no limit. */
  tokensPerUser: { option: 'TokensPerUser', group: 'limits', schema: z.int().min(1).max(100_000), default: 100 },

  ...monitoringSettings,
  ...taskSettings,
  ...batchSettings,

  logConsume: { option: 'LogConsumeEnabled', group: 'log', schema: flag, default: true },
  /** Whole days after which usage records are deleted; 0: never. Rollups remain. */
  recordDays: { option: 'RecordDays', group: 'log', schema: z.int().min(0).max(3_650), default: 0 },
  /** Archives each day's records in the artifact bucket before they are deleted. */
  recordArchive: { option: 'RecordArchiveEnabled', group: 'log', schema: flag, default: false },
  /** Hours between two backups of the database file; 0: no backups. */
  backupHours: { option: 'BackupHours', group: 'backups', schema: z.int().min(0).max(720), default: 0 },
  /** Hour (UTC) of the first backup of a day. */
  backupHour: { option: 'BackupHour', group: 'backups', schema: z.int().min(0).max(23), default: 2 },
  /** Number of the newest backups to keep. */
  backupsKept: { option: 'BackupsKept', group: 'backups', schema: z.int().min(1).max(365), default: 7 },

  systemName: {
    option: 'SystemName',
    group: 'customisation',
    schema: z.string().trim().min(1).max(64),
    default: 'Switchyard',
  },
  logo: { option: 'Logo', group: 'customisation', schema: link, default: '' },
  language: { option: 'Language', group: 'customisation', schema: language, default: 'zh_CN' },
  footer: { option: 'Footer', group: 'customisation', schema: text, default: '' },
  notice: { option: 'Notice', group: 'customisation', schema: text, default: '' },
  about: { option: 'About', group: 'customisation', schema: text, default: '' },
  homePage: { option: 'HomePageContent', group: 'customisation', schema: text, default: '' },
});

export type SettingName = keyof typeof settingDefinitions;
export type Settings = { readonly [K in SettingName]: z.output<(typeof settingDefinitions)[K]['schema']> };
export type SettingGroup = Definition['group'];

export const settingNames = Object.keys(settingDefinitions) as SettingName[];

export function isSecret(name: SettingName): boolean {
  const definition: Definition = settingDefinitions[name];
  return definition.secret === true;
}

/** Returns a setting's wire form: text unchanged, other values as JSON text. */
export function settingToText(name: SettingName, value: unknown): string {
  const { schema }: Definition = settingDefinitions[name];
  const encoded = z.safeEncode(schema, value);
  // An invalid value is half typed in a form, which only compares it.
  const wire = encoded.success ? encoded.data : value;
  return typeof wire === 'string' ? wire : JSON.stringify(wire);
}

/** @throws z.ZodError when the text does not fit the setting */
export function settingFromText<K extends SettingName>(
  name: K,
  value: string,
  context?: z.core.ParseContext<z.core.$ZodIssue>,
): Settings[K] {
  const { schema } = settingDefinitions[name];
  const asText = schema.safeParse(value);
  if (asText.success) return asText.data as Settings[K];
  return schema.parse(parseJson(value), context) as Settings[K];
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Change of settings in the audit log. */
export const settingChanges = z.object({
  id: auditEntryId,
  created_at: seconds,
  /** Empty without a user. */
  username: z.string(),
  changes: z.array(
    z.object({
      key: z.string(),
      /** Null for a secret, or for a value that was not recorded in full; it cannot be restored. */
      before: z.string().nullable(),
      after: z.string().nullable(),
      /** Change of a secret, whose value is not shown; null for other settings. */
      secret: z.enum(['set', 'cleared']).nullable(),
    }),
  ),
});
export type SettingChanges = z.output<typeof settingChanges>;

const option = z.object({ key: z.string().max(64), value: z.string().max(200_000) });

export const settings = routes({
  list: {
    method: 'GET',
    path: '/api/option/',
    access: 'root',
    summary: 'List all settings, without secrets',
    answer: z.array(option),
  },
  secrets: {
    method: 'GET',
    path: '/api/option/secrets',
    access: 'root',
    summary: 'List the secret settings that are set, with the last characters of long ones',
    answer: z.array(z.object({ key: z.string(), hint: z.string() })),
  },
  history: {
    method: 'GET',
    path: '/api/option/history',
    access: 'root',
    summary: 'List the changes of settings with their author, newest first',
    query: listQuery(['id'], { key: z.string().max(64).optional() }),
    answer: paged(settingChanges),
  },
  update: {
    method: 'PUT',
    path: '/api/option/',
    access: 'root',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Update a setting',
    body: option,
    answer: emptyData,
  },
  updateMany: {
    method: 'PUT',
    path: '/api/option/batch',
    access: 'root',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Update several settings, all or none',
    body: z.array(option).min(1).max(200),
    answer: emptyData,
  },
});
