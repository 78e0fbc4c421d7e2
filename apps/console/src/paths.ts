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
  status: '/status',
  jump: '/jump',
  playground: '/panel/playground',
  quote: '/panel/quote',
  apiKeys: '/panel/token',
  channels: '/panel/channel',
  catalogue: '/panel/catalogue',
  prices: '/panel/pricing',
  users: '/panel/user',
  topUp: '/panel/topup',
  orders: '/panel/payment',
  processors: '/panel/payment_gateway',
  redemptionCodes: '/panel/redemption',
  statements: '/panel/invoice',
  usageRecords: '/panel/log',
  models: '/panel/model_price',
  profile: '/panel/profile',
  dashboard: '/panel/dashboard',
  settings: '/panel/setting',
  systemInfo: '/panel/system_info',
} as const;

/** One user's own page. */
export const userPath = (id: number | string): string => `${paths.users}/${id}`;
