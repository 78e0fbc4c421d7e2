import type { Self } from '@switchyard/contract/accounts/profile';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AccessTokenList } from '../features/accounts/access-tokens/access-token-list-and-form.tsx';
import { IdentityList } from '../features/accounts/identities/identity-list.tsx';
import { PasskeyList } from '../features/accounts/passkeys/passkey-list.tsx';
import { AccountData, AccountDetails } from '../features/accounts/profile/account-details-export-and-deletion.tsx';
import { AvatarPicker } from '../features/accounts/profile/avatar-picker.tsx';
import { EmailSection } from '../features/accounts/profile/email-section.tsx';
import { Preferences } from '../features/accounts/profile/language-and-theme-preferences.tsx';
import {
  NamesForm,
  NoticesForm,
  PasswordForm,
} from '../features/accounts/profile/name-password-notification-forms.tsx';
import { SessionList } from '../features/accounts/profile/session-list.tsx';
import { SecondFactorSection } from '../features/accounts/second-factor/second-factor-section.tsx';
import { useCurrentUser } from '../features/accounts/session/queries.ts';
import { DeliveryAttemptList } from '../features/operations/notifications/delivery-attempt-list.tsx';
import { NotificationTargetList } from '../features/operations/notifications/notification-target-list.tsx';
import { TelegramBinding } from '../features/operations/telegram/telegram-binding.tsx';
import type words from '../i18n/en_US/profile.json';
import { SectionedPage } from '../ui/form/sectioned-page.tsx';
import { PageHeader } from '../ui/layout/page-header.tsx';
import { SectionCard } from '../ui/layout/section-card.tsx';

type SectionId = keyof typeof words.section;

/** Sections in page order. Their ids are also URL fragments: `/panel/profile#second-factor`. */
const contents: readonly { id: SectionId; show: (self: Self) => ReactNode }[] = [
  { id: 'account', show: (self) => <Account self={self} /> },
  { id: 'names', show: (self) => <NamesForm self={self} /> },
  { id: 'email', show: (self) => <EmailSection self={self} /> },
  { id: 'preferences', show: () => <Preferences /> },
  { id: 'password', show: ({ has_password }) => <PasswordForm hasPassword={has_password} /> },
  { id: 'passkeys', show: () => <PasskeyList /> },
  { id: 'second-factor', show: () => <SecondFactorSection /> },
  { id: 'bindings', show: () => <Bindings /> },
  { id: 'sessions', show: () => <SessionList /> },
  { id: 'token', show: () => <AccessTokenList /> },
  { id: 'notices', show: (self) => <NoticesForm self={self} /> },
  { id: 'alerts', show: () => <Alerts /> },
  { id: 'data', show: (self) => <AccountData self={self} /> },
];

export function ProfilePage() {
  const { t } = useTranslation('profile');
  const self = useCurrentUser();
  if (self === null) return null;
  const sections = contents.map(({ id, show }) => ({
    id,
    show,
    title: id === 'password' && !self.has_password ? t('setPassword') : t(`section.${id}`),
  }));
  return (
    <>
      <PageHeader title={t('title')} />
      <SectionedPage sections={sections}>
        {sections.map(({ id, title, show }) => (
          <SectionCard key={id} id={id} title={title}>
            {show(self)}
          </SectionCard>
        ))}
      </SectionedPage>
    </>
  );
}

function Account({ self }: { self: Self }) {
  return (
    <>
      <AvatarPicker self={self} />
      <AccountDetails self={self} />
    </>
  );
}

function Alerts() {
  return (
    <>
      <NotificationTargetList owner="own" />
      <DeliveryAttemptList owner="own" />
    </>
  );
}

function Bindings() {
  return (
    <>
      <IdentityList />
      <TelegramBinding />
    </>
  );
}
