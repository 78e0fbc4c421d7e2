import type { NoticeKind } from '@switchyard/contract/operations/bell';
import { paths } from '../../../paths.ts';
import type { Tone } from '../../../ui/display/status-chip.tsx';

interface Place {
  to: string;
  search?: Record<string, string>;
  hash?: string;
}

/** Screens on which the cause of each notification can be fixed. */
export const placeOf: Record<Exclude<NoticeKind, 'announcement'>, Place> = {
  'low-balance': { to: paths.topUp },
  'token-spent': { to: paths.apiKeys },
  'token-expires': { to: paths.apiKeys, search: { order: 'expired_time' } },
  'payment-failed': { to: paths.topUp },
  'channels-disabled': { to: paths.channels, search: { status: 'auto-disabled' } },
  'models-unpriced': { to: paths.catalogue },
  'rates-missing': { to: paths.prices },
  'models-retired': { to: paths.catalogue },
  'payments-review': { to: paths.orders, search: { review: 'true' } },
  'refunds-failed': { to: paths.orders },
  'books-differ': { to: paths.users },
  overload: { to: paths.dashboard },
  'jobs-failed': { to: paths.systemInfo, search: { tab: 'jobs' } },
  'certificates-end': { to: paths.systemInfo },
  'mail-failed': { to: paths.settings, hash: 'mail' },
  'destination-off': { to: paths.profile, hash: 'alerts' },
  'site-destination-off': { to: paths.settings, hash: 'alerts' },
  'new-version': { to: paths.systemInfo },
};

export const toneOf: Record<NoticeKind, Tone> = {
  announcement: 'primary',
  'low-balance': 'warning',
  'token-spent': 'warning',
  'token-expires': 'warning',
  'payment-failed': 'error',
  'channels-disabled': 'error',
  'models-unpriced': 'warning',
  'rates-missing': 'warning',
  'models-retired': 'warning',
  'payments-review': 'error',
  'refunds-failed': 'error',
  'books-differ': 'error',
  overload: 'error',
  'jobs-failed': 'error',
  'certificates-end': 'warning',
  'mail-failed': 'warning',
  'destination-off': 'warning',
  'site-destination-off': 'warning',
  'new-version': 'info',
};
