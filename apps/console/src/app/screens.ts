import type { Access } from '@switchyard/contract/route';
import { type Icon, IconKey } from '@tabler/icons-react';
import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import type shell from '../i18n/en_US/shell.json';

export const screenGroups = ['dashboard', 'setting', 'billing', 'usage'] as const;
type ScreenGroup = (typeof screenGroups)[number];

/** A screen of the panel. This list is the only place that declares one: router, drawer, breadcrumbs and palette read it. */
export interface Screen {
  /** Below /panel; `$name` is a parameter. */
  path: string;
  title: keyof typeof shell.screen;
  group: ScreenGroup;
  /** Without an icon it is reached from another screen only. */
  icon?: Icon;
  /** The least role. */
  access: Exclude<Access, 'anyone'>;
  component: RouteComponent;
}

export const screens: readonly Screen[] = [
  {
    path: 'token',
    title: 'apiKeys',
    group: 'setting',
    icon: IconKey,
    access: 'user',
    component: lazyRouteComponent(() => import('../features/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
  },
];

export function screenPath(screen: Screen): string {
  return `/panel/${screen.path}`;
}
