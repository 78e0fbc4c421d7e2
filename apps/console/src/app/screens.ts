import type { Access } from '@switchyard/contract/route';
import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import type shell from '../i18n/en_US/shell.json';

export const screenGroups = ['dashboard', 'setting', 'billing', 'usage'] as const;
type ScreenGroup = (typeof screenGroups)[number];

/**
 * A screen of the panel. This list is the only place that declares one: router, drawer, breadcrumbs and palette read it.
 * Without an icon in `screen-icons.ts` it is not in the drawer.
 */
export interface Screen {
  /** Below /panel; `$name` is a parameter. */
  path: string;
  title: keyof typeof shell.screen;
  group: ScreenGroup;
  /** What its user must be allowed. */
  access: Exclude<Access, 'anyone'>;
  component: RouteComponent;
}

export const screens: readonly Screen[] = [
  {
    path: 'dashboard',
    title: 'dashboard',
    group: 'dashboard',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
  },
  {
    path: 'analytics',
    title: 'analytics',
    group: 'dashboard',
    access: 'overview.read',
    component: lazyRouteComponent(() => import('../features/analytics/analytics-page.tsx'), 'AnalyticsPage'),
  },
  {
    path: 'playground',
    title: 'playground',
    group: 'dashboard',
    access: 'user',
    component: lazyRouteComponent(
      () => import('../features/playground/playground-page.tsx'),
      'PlaygroundPage',
    ),
  },
  {
    path: 'quote',
    title: 'quote',
    group: 'dashboard',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/quote/quote-page.tsx'), 'QuotePage'),
  },
  {
    path: 'token',
    title: 'apiKeys',
    group: 'setting',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
  },
  {
    path: 'channel',
    title: 'channels',
    group: 'setting',
    access: 'channels.read',
    component: lazyRouteComponent(() => import('../features/channels/channels-page.tsx'), 'ChannelsPage'),
  },
  {
    path: 'channel/$id',
    title: 'channel',
    group: 'setting',
    access: 'channels.write',
    component: lazyRouteComponent(
      () => import('../features/channels/channel-editor-page.tsx'),
      'ChannelEditorPage',
    ),
  },
  {
    path: 'user',
    title: 'users',
    group: 'setting',
    access: 'users.read',
    component: lazyRouteComponent(() => import('../features/users/users-page.tsx'), 'UsersPage'),
  },
  {
    path: 'user/$id',
    title: 'user',
    group: 'setting',
    access: 'users.read',
    component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
  },
  {
    path: 'staff_role',
    title: 'staffRoles',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(
      () => import('../features/staff-roles/staff-roles-page.tsx'),
      'StaffRolesPage',
    ),
  },
  {
    path: 'content_safety',
    title: 'contentSafety',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(
      () => import('../features/content-safety/content-safety-page.tsx'),
      'ContentSafetyPage',
    ),
  },
  {
    path: 'user_group',
    title: 'userGroups',
    group: 'setting',
    access: 'groups.read',
    component: lazyRouteComponent(
      () => import('../features/user-groups/user-groups-page.tsx'),
      'UserGroupsPage',
    ),
  },
  {
    path: 'model_price',
    title: 'models',
    group: 'setting',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/models/models-page.tsx'), 'ModelsPage'),
  },
  {
    path: 'log',
    title: 'usageRecords',
    group: 'usage',
    access: 'user',
    component: lazyRouteComponent(
      () => import('../features/usage-records/usage-records-page.tsx'),
      'UsageRecordsPage',
    ),
  },
  {
    path: 'midjourney',
    title: 'drawings',
    group: 'usage',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/tasks/drawings-page.tsx'), 'DrawingsPage'),
  },
  {
    path: 'task',
    title: 'tasks',
    group: 'usage',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/tasks/tasks-page.tsx'), 'TasksPage'),
  },
  {
    path: 'pricing',
    title: 'prices',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(() => import('../features/prices/prices-page.tsx'), 'PricesPage'),
  },
  {
    path: 'catalogue',
    title: 'catalogue',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(() => import('../features/catalogue/catalogue-page.tsx'), 'CataloguePage'),
  },
  {
    path: 'model_info',
    title: 'modelDetails',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(
      () => import('../features/model-details/model-details-page.tsx'),
      'ModelDetailsPage',
    ),
  },
  {
    path: 'model_ownedby',
    title: 'owners',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(
      () => import('../features/model-owners/model-owners-page.tsx'),
      'ModelOwnersPage',
    ),
  },
  {
    path: 'topup',
    title: 'topUp',
    group: 'billing',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/top-up/top-up-page.tsx'), 'TopUpPage'),
  },
  {
    path: 'payment',
    title: 'orders',
    group: 'billing',
    access: 'orders.read',
    component: lazyRouteComponent(() => import('../features/orders/orders-page.tsx'), 'OrdersPage'),
  },
  {
    path: 'payment_gateway',
    title: 'processors',
    group: 'billing',
    access: 'processors.read',
    component: lazyRouteComponent(
      () => import('../features/processors/processors-page.tsx'),
      'ProcessorsPage',
    ),
  },
  {
    path: 'invoice',
    title: 'statements',
    group: 'billing',
    access: 'user',
    component: lazyRouteComponent(
      () => import('../features/statements/statements-page.tsx'),
      'StatementsPage',
    ),
  },
  {
    path: 'invoice/$date',
    title: 'statement',
    group: 'billing',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/statements/statement-page.tsx'), 'StatementPage'),
  },
  {
    path: 'money',
    title: 'money',
    group: 'billing',
    access: 'money.read',
    component: lazyRouteComponent(() => import('../features/money-overview/money-page.tsx'), 'MoneyPage'),
  },
  {
    path: 'redemption',
    title: 'redemptions',
    group: 'billing',
    access: 'codes.read',
    component: lazyRouteComponent(
      () => import('../features/redemption-codes/redemption-codes-page.tsx'),
      'RedemptionCodesPage',
    ),
  },
  {
    path: 'profile',
    title: 'profile',
    group: 'setting',
    access: 'user',
    component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
  },
  {
    path: 'setting',
    title: 'settings',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
  },
  {
    path: 'telegram',
    title: 'telegram',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(() => import('../features/telegram/telegram-page.tsx'), 'TelegramPage'),
  },
  {
    path: 'system_info',
    title: 'systemInfo',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(
      () => import('../features/system-info/system-info-page.tsx'),
      'SystemInfoPage',
    ),
  },
  {
    path: 'audit',
    title: 'audit',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  },
];

/** Whether its address is complete, so that the palette can go there. */
export function isDestination({ path }: Screen): boolean {
  return !path.includes('$');
}

export function screenPath(screen: Screen): string {
  return `/panel/${screen.path}`;
}
