import type { Right } from '@switchyard/contract/accounts/permissions';
import { channelPath } from '../../features/channels/channel-paths.ts';
import type shell from '../../i18n/en_US/shell.json';
import { paths } from '../../paths.ts';

interface Creation {
  title: keyof typeof shell.palette.create;
  access: Right;
  to: string;
  search?: Record<string, string>;
}

const edit = { edit: 'new' };

/** Records that the command palette can create from any screen; each opens its screen with an empty form. */
export const creations: readonly Creation[] = [
  { title: 'apiKey', access: 'user', to: paths.apiKeys, search: edit },
  { title: 'channel', access: 'channels.write', to: channelPath('new') },
  { title: 'user', access: 'users.write', to: paths.users, search: edit },
  { title: 'group', access: 'groups.write', to: paths.userGroups, search: edit },
  { title: 'price', access: 'prices.write', to: paths.prices, search: { show: 'new' } },
  { title: 'codes', access: 'codes.write', to: paths.redemptionCodes, search: edit },
];
