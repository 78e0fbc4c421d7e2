import type { ChannelId } from '@switchyard/contract/ids';

/** Paths inside the console, in one place so that features can link to each other's screens. */
export const paths = {
  home: '/',
  about: '/about',
  signIn: '/login',
  register: '/register',
  askReset: '/reset',
  reset: '/user/reset',
  setUp: '/setup',
  publicModels: '/price',
  status: '/status',
  jump: '/jump',
  analytics: '/panel/analytics',
  playground: '/panel/playground',
  quote: '/panel/quote',
  apiKeys: '/panel/token',
  channels: '/panel/channel',
  catalogue: '/panel/catalogue',
  prices: '/panel/pricing',
  users: '/panel/user',
  userGroups: '/panel/user_group',
  topUp: '/panel/topup',
  orders: '/panel/payment',
  processors: '/panel/payment_gateway',
  redemptionCodes: '/panel/redemption',
  statements: '/panel/invoice',
  usageRecords: '/panel/log',
  tasks: '/panel/task',
  drawings: '/panel/midjourney',
  models: '/panel/model_price',
  profile: '/panel/profile',
  dashboard: '/panel/dashboard',
  settings: '/panel/setting',
  systemInfo: '/panel/system_info',
} as const;

/** Returns the path of a user's page. */
export const userPath = (id: number | string): string => `${paths.users}/${id}`;

/** Returns the path of a channel's editor. */
export function channelPath(id: ChannelId | 'new'): string {
  return `${paths.channels}/${id}`;
}
