import type { Access } from '@switchyard/contract/route';
import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import type shell from '../i18n/en_US/shell.json';

export const screenGroups = ['dashboard', 'setting', 'billing', 'usage'] as const;
type ScreenGroup = (typeof screenGroups)[number];

/**
 * Screen of the panel. This list is the only place that declares one: router, drawer, breadcrumbs and palette
 * read it. A screen without an icon in `screen-icons.ts` is not in the drawer.
 */
export interface Screen {
  /** Path below /panel; `$name` is a parameter. */
  path: string;
  title: keyof typeof shell.screen;
  group: ScreenGroup;
  /** Access that a user needs for the screen. */
  access: Exclude<Access, 'anyone'>;
  component: RouteComponent;
}

export const screens: readonly Screen[] = [
  {
    path: 'dashboard',
    title: 'dashboard',
    group: 'dashboard',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/usage/dashboard/dashboard-page.tsx'), 'DashboardPage'),
  },
  {
    path: 'analytics',
    title: 'analytics',
    group: 'dashboard',
    access: 'overview.read',
    component: lazyRouteComponent(() => import('../features/usage/analytics/analytics-page.tsx'), 'AnalyticsPage'),
  },
  {
    path: 'playground',
    title: 'playground',
    group: 'dashboard',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/playground/page/playground-page.tsx'), 'PlaygroundPage'),
  },
  {
    path: 'quote',
    title: 'quote',
    group: 'dashboard',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/playground/quote/quote-page.tsx'), 'QuotePage'),
  },
  {
    path: 'token',
    title: 'apiKeys',
    group: 'setting',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/accounts/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
  },
  {
    path: 'channel',
    title: 'channels',
    group: 'setting',
    access: 'channels.read',
    component: lazyRouteComponent(() => import('../features/channels/list/channels-page.tsx'), 'ChannelsPage'),
  },
  {
    path: 'channel/$id',
    title: 'channel',
    group: 'setting',
    access: 'channels.write',
    component: lazyRouteComponent(
      () => import('../features/channels/editor/channel-editor-page.tsx'),
      'ChannelEditorPage',
    ),
  },
  {
    path: 'user',
    title: 'users',
    group: 'setting',
    access: 'users.read',
    component: lazyRouteComponent(() => import('../features/accounts/users/users-page.tsx'), 'UsersPage'),
  },
  {
    path: 'user/$id',
    title: 'user',
    group: 'setting',
    access: 'users.read',
    component: lazyRouteComponent(() => import('./user-details-page.tsx'), 'UserPage'),
  },
  {
    path: 'staff_role',
    title: 'staffRoles',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(
      () => import('../features/accounts/staff-roles/staff-roles-page.tsx'),
      'StaffRolesPage',
    ),
  },
  {
    path: 'content_safety',
    title: 'contentSafety',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(
      () => import('../features/operations/content-safety/content-safety-page.tsx'),
      'ContentSafetyPage',
    ),
  },
  {
    path: 'user_group',
    title: 'userGroups',
    group: 'setting',
    access: 'groups.read',
    component: lazyRouteComponent(
      () => import('../features/accounts/user-groups/user-groups-page.tsx'),
      'UserGroupsPage',
    ),
  },
  {
    path: 'model_price',
    title: 'models',
    group: 'setting',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/catalog/models/models-page.tsx'), 'ModelsPage'),
  },
  {
    path: 'log',
    title: 'usageRecords',
    group: 'usage',
    access: 'user',
    component: lazyRouteComponent(
      () => import('../features/usage/usage-records/usage-records-page.tsx'),
      'UsageRecordsPage',
    ),
  },
  {
    path: 'midjourney',
    title: 'drawings',
    group: 'usage',
    access: 'user',
    component: lazyRouteComponent(
      () => import('../features/tasks/tasks/midjourney-images-page.tsx'),
      'MidjourneyImagesPage',
    ),
  },
  {
    path: 'task',
    title: 'tasks',
    group: 'usage',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/tasks/tasks/tasks-page.tsx'), 'TasksPage'),
  },
  {
    path: 'pricing',
    title: 'prices',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(
      () => import('../features/catalog/prices/list/prices-page-and-warnings.tsx'),
      'PricesPage',
    ),
  },
  {
    path: 'catalogue',
    title: 'catalogue',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(
      () => import('../features/catalog/catalog-updates/catalog-updates-page.tsx'),
      'CatalogUpdatesPage',
    ),
  },
  {
    path: 'model_info',
    title: 'modelDetails',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(
      () => import('../features/catalog/model-details/model-details-page.tsx'),
      'ModelDetailsPage',
    ),
  },
  {
    path: 'model_ownedby',
    title: 'owners',
    group: 'billing',
    access: 'prices.read',
    component: lazyRouteComponent(
      () => import('../features/catalog/model-owners/model-owners-page.tsx'),
      'ModelOwnersPage',
    ),
  },
  {
    path: 'topup',
    title: 'topUp',
    group: 'billing',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/billing/top-up/top-up-page.tsx'), 'TopUpPage'),
  },
  {
    path: 'payment',
    title: 'orders',
    group: 'billing',
    access: 'orders.read',
    component: lazyRouteComponent(() => import('../features/billing/orders/orders-page.tsx'), 'OrdersPage'),
  },
  {
    path: 'payment_gateway',
    title: 'processors',
    group: 'billing',
    access: 'processors.read',
    component: lazyRouteComponent(
      () => import('../features/billing/payment-providers/payment-providers-page.tsx'),
      'PaymentProvidersPage',
    ),
  },
  {
    path: 'invoice',
    title: 'statements',
    group: 'billing',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/billing/statements/statements-page.tsx'), 'StatementsPage'),
  },
  {
    path: 'invoice/$date',
    title: 'statement',
    group: 'billing',
    access: 'user',
    component: lazyRouteComponent(() => import('../features/billing/statements/statement-page.tsx'), 'StatementPage'),
  },
  {
    path: 'money',
    title: 'money',
    group: 'billing',
    access: 'money.read',
    component: lazyRouteComponent(
      () => import('../features/billing/money-overview/money-overview-page.tsx'),
      'MoneyPage',
    ),
  },
  {
    path: 'redemption',
    title: 'redemptions',
    group: 'billing',
    access: 'codes.read',
    component: lazyRouteComponent(
      () => import('../features/billing/redemption-codes/redemption-codes-page.tsx'),
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
    component: lazyRouteComponent(() => import('./site-settings-page.tsx'), 'SettingsPage'),
  },
  {
    path: 'telegram',
    title: 'telegram',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(() => import('../features/operations/telegram/telegram-page.tsx'), 'TelegramPage'),
  },
  {
    path: 'system_info',
    title: 'systemInfo',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(
      () => import('../features/operations/system-info/system-info-page.tsx'),
      'SystemInfoPage',
    ),
  },
  {
    path: 'audit',
    title: 'audit',
    group: 'setting',
    access: 'root',
    component: lazyRouteComponent(() => import('../features/operations/audit/audit-page.tsx'), 'AuditPage'),
  },
];

/** Returns whether the path has no parameters, so that the command palette can open it. */
export function isDestination({ path }: Screen): boolean {
  return !path.includes('$');
}

export function screenPath(screen: Screen): string {
  return `/panel/${screen.path}`;
}
