/** Every feature of the management API by name. The server must serve each; documents and tests walk them. */
import { accessTokens } from './access-tokens.ts';
import { alerts } from './alerts.ts';
import { analytics } from './analytics.ts';
import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { catalogue } from './catalogue.ts';
import { channelEdits } from './channel-edits.ts';
import { channelKeys } from './channel-keys.ts';
import { channelTests } from './channel-tests.ts';
import { channels } from './channels.ts';
import { contentSafety } from './content-safety.ts';
import { dashboard } from './dashboard.ts';
import { identities } from './identities.ts';
import { impersonation } from './impersonation.ts';
import { invitations } from './invitations.ts';
import { load } from './load.ts';
import { mail } from './mail.ts';
import { modelDetails } from './model-details.ts';
import { modelOwners } from './model-owners.ts';
import { models } from './models.ts';
import { moneyOverview } from './money-overview.ts';
import { notices } from './notices.ts';
import { orders } from './orders.ts';
import { passkeys } from './passkeys.ts';
import { playground } from './playground.ts';
import { prices } from './prices.ts';
import { processors } from './processors.ts';
import { profile } from './profile.ts';
import { quote } from './quote.ts';
import { redemptionCodes } from './redemption-codes.ts';
import { secondFactor } from './second-factor.ts';
import { secrets } from './secrets.ts';
import { serviceTests } from './service-tests.ts';
import { setUp } from './set-up.ts';
import { settings } from './settings.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import { staffRoles } from './staff-roles.ts';
import { statements } from './statements.ts';
import { status } from './status.ts';
import { systemInfo } from './system-info.ts';
import { tasks } from './tasks.ts';
import { telegram } from './telegram.ts';
import { usageRecords } from './usage-records.ts';
import { userDetails } from './user-details.ts';
import { userGroups } from './user-groups.ts';
import { users } from './users.ts';

export const features = {
  accessTokens,
  alerts,
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
  processors,
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
