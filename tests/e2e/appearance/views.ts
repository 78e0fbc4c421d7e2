/**
 * Screens with an accepted picture: every main screen on a desktop in light mode, some also dark, on a phone and in
 * Chinese.
 */

export interface View {
  /** Name of its file. */
  name: string;
  path: string;
  signedIn: boolean;
  width: 1440 | 390;
  dark: boolean;
  language: 'en_US' | 'zh_CN';
}

const open = { home: '/', login: '/login', price: '/price', status: '/status' };
const panel = {
  dashboard: 'dashboard',
  analytics: 'analytics',
  playground: 'playground',
  tokens: 'token',
  channels: 'channel',
  channel: 'channel/1',
  users: 'user',
  user: 'user/4',
  groups: 'user_group',
  models: 'model_price',
  log: 'log',
  receipt: 'log?open=29000',
  prices: 'pricing',
  'top-up': 'topup',
  statements: 'invoice',
  statement: 'invoice/2026-05-01',
  redemption: 'redemption',
  profile: 'profile',
  settings: 'setting',
};

const desk: View[] = [
  ...Object.entries(open).map(([name, path]) => ({ name, path, signedIn: false })),
  ...Object.entries(panel).map(([name, path]) => ({ name, path: `/panel/${path}`, signedIn: true })),
].map((view) => ({ ...view, width: 1440, dark: false, language: 'en_US' }));

function createVariants(names: readonly string[], suffix: string, change: Partial<View>): View[] {
  return desk
    .filter(({ name }) => names.includes(name))
    .map((view) => ({ ...view, ...change, name: `${view.name}-${suffix}` }));
}

export const views: readonly View[] = [
  ...desk,
  ...createVariants(['home', 'dashboard', 'channels', 'log'], 'dark', { dark: true }),
  ...createVariants(['login', 'dashboard', 'log'], 'phone', { width: 390 }),
  ...createVariants(['dashboard', 'channels', 'settings'], 'zh', { language: 'zh_CN' }),
];
