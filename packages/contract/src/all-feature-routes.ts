/**
 * Features of the management API by name. The server must serve each; the documentation and tests iterate over them.
 */
import { accessTokens } from './accounts/access-tokens.ts';
import { apiKeys } from './accounts/api-keys.ts';
import { identities } from './accounts/identities.ts';
import { impersonation } from './accounts/impersonation.ts';
import { invitations } from './accounts/invitations.ts';
import { passkeys } from './accounts/passkeys.ts';
import { profile } from './accounts/profile.ts';
import { secondFactor } from './accounts/second-factor.ts';
import { setUp } from './accounts/set-up.ts';
import { signIn } from './accounts/sign-in.ts';
import { signUp } from './accounts/sign-up.ts';
import { staffRoles } from './accounts/staff-roles.ts';
import { userDetails } from './accounts/user-details.ts';
import { userGroups } from './accounts/user-groups.ts';
import { users } from './accounts/users.ts';
import { moneyOverview } from './billing/money-overview.ts';
import { orders } from './billing/orders.ts';
import { paymentProviders } from './billing/payment-providers.ts';
import { redemptionCodes } from './billing/redemption-codes.ts';
import { statements } from './billing/statements.ts';
import { catalogue } from './catalog/catalog-updates.ts';
import { modelDetails } from './catalog/model-details.ts';
import { modelOwners } from './catalog/model-owners.ts';
import { models } from './catalog/models.ts';
import { prices } from './catalog/prices.ts';
import { channelEdits } from './channels/bulk-edits-and-import.ts';
import { channelKeys } from './channels/channel-keys.ts';
import { channelTests } from './channels/channel-tests.ts';
import { channels } from './channels/channels.ts';
import { audit } from './operations/audit.ts';
import { notices } from './operations/bell.ts';
import { contentSafety } from './operations/content-safety.ts';
import { secrets } from './operations/data-keys.ts';
import { load } from './operations/load.ts';
import { mail } from './operations/mail.ts';
import { notifications } from './operations/notifications.ts';
import { serviceTests } from './operations/service-connection-tests.ts';
import { settings } from './operations/settings.ts';
import { status } from './operations/site-info.ts';
import { systemInfo } from './operations/system-info.ts';
import { telegram } from './operations/telegram.ts';
import { playground } from './playground/playground.ts';
import { quote } from './playground/quote.ts';
import { tasks } from './tasks/tasks.ts';
import { analytics } from './usage/analytics.ts';
import { dashboard } from './usage/dashboard.ts';
import { usageRecords } from './usage/usage-records.ts';

export const features = {
  accessTokens,
  alerts: notifications,
  analytics,
  apiKeys,
  audit,
  channelEdits,
  catalogue,
  channels,
  channelKeys,
  channelTests,
  contentSafety,
  dashboard,
  identities,
  impersonation,
  invitations,
  load,
  mail,
  modelDetails,
  modelOwners,
  models,
  notices,
  orders,
  moneyOverview,
  passkeys,
  playground,
  prices,
  processors: paymentProviders,
  profile,
  quote,
  redemptionCodes,
  secondFactor,
  secrets,
  serviceTests,
  setUp,
  settings,
  signIn,
  signUp,
  staffRoles,
  statements,
  status,
  systemInfo,
  tasks,
  telegram,
  usageRecords,
  userGroups,
  userDetails,
  users,
};
export type Features = typeof features;
