import type about from './en_US/about.json';
import type accessTokens from './en_US/access-tokens.json';
import type analytics from './en_US/analytics.json';
import type apiKeys from './en_US/api-keys.json';
import type audit from './en_US/audit.json';
import type catalogue from './en_US/catalogue.json';
import type channels from './en_US/channels.json';
import type common from './en_US/common.json';
import type dashboard from './en_US/dashboard.json';
import type errors from './en_US/errors.json';
import type home from './en_US/home.json';
import type identities from './en_US/identities.json';
import type mail from './en_US/mail.json';
import type models from './en_US/models.json';
import type moneyOverview from './en_US/money-overview.json';
import type orders from './en_US/orders.json';
import type passkeys from './en_US/passkeys.json';
import type playground from './en_US/playground.json';
import type prices from './en_US/prices.json';
import type processors from './en_US/processors.json';
import type profile from './en_US/profile.json';
import type quote from './en_US/quote.json';
import type redemptionCodes from './en_US/redemption-codes.json';
import type secondFactor from './en_US/second-factor.json';
import type secrets from './en_US/secrets.json';
import type setUp from './en_US/set-up.json';
import type settings from './en_US/settings.json';
import type shell from './en_US/shell.json';
import type signIn from './en_US/sign-in.json';
import type signUp from './en_US/sign-up.json';
import type staffRoles from './en_US/staff-roles.json';
import type statements from './en_US/statements.json';
import type statusPage from './en_US/status-page.json';
import type telegram from './en_US/telegram.json';
import type topUp from './en_US/top-up.json';
import type usageRecords from './en_US/usage-records.json';
import type userGroups from './en_US/user-groups.json';
import type users from './en_US/users.json';

/** The words of every feature; English gives the keys, parity.test.ts holds the other languages to them. */
interface Resources {
  about: typeof about;
  'access-tokens': typeof accessTokens;
  analytics: typeof analytics;
  'api-keys': typeof apiKeys;
  audit: typeof audit;
  catalogue: typeof catalogue;
  channels: typeof channels;
  common: typeof common;
  dashboard: typeof dashboard;
  errors: typeof errors;
  home: typeof home;
  identities: typeof identities;
  mail: typeof mail;
  models: typeof models;
  orders: typeof orders;
  'money-overview': typeof moneyOverview;
  passkeys: typeof passkeys;
  playground: typeof playground;
  prices: typeof prices;
  processors: typeof processors;
  profile: typeof profile;
  quote: typeof quote;
  'redemption-codes': typeof redemptionCodes;
  'second-factor': typeof secondFactor;
  secrets: typeof secrets;
  'set-up': typeof setUp;
  settings: typeof settings;
  shell: typeof shell;
  'sign-in': typeof signIn;
  'sign-up': typeof signUp;
  'staff-roles': typeof staffRoles;
  statements: typeof statements;
  'status-page': typeof statusPage;
  telegram: typeof telegram;
  'top-up': typeof topUp;
  'usage-records': typeof usageRecords;
  'user-groups': typeof userGroups;
  users: typeof users;
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: Resources;
    returnNull: false;
  }
}
