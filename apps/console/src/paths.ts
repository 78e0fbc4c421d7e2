/** Addresses inside the console, in one place so that features can point at each other's screens. */
export const paths = {
  home: '/',
  about: '/about',
  signIn: '/login',
  setUp: '/setup',
  notAllowed: '/panel/403',
  panel: '/panel/dashboard',
  apiKeys: '/panel/token',
  channels: '/panel/channel',
  users: '/panel/user',
  userGroups: '/panel/user_group',
  usageRecords: '/panel/log',
  prices: '/panel/pricing',
  models: '/panel/model_price',
  settings: '/panel/setting',
  profile: '/panel/profile',
} as const;
