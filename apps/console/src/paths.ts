/** Addresses inside the console, in one place so that features can point at each other's screens. */
export const paths = {
  home: '/',
  about: '/about',
  signIn: '/login',
  register: '/register',
  askReset: '/reset',
  reset: '/user/reset',
  setUp: '/setup',
  publicModels: '/price',
  playground: '/panel/playground',
  quote: '/panel/quote',
  apiKeys: '/panel/token',
  channels: '/panel/channel',
  users: '/panel/user',
  usageRecords: '/panel/log',
  models: '/panel/model_price',
  profile: '/panel/profile',
} as const;
