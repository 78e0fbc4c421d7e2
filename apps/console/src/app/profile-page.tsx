import type { Self } from '@switchyard/contract/profile';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AccessTokenList } from '../features/access-tokens/access-token-list.tsx';
import { DeliveryList } from '../features/alerts/delivery-list.tsx';
import { DestinationList } from '../features/alerts/destination-list.tsx';
import { IdentityList } from '../features/identities/identity-list.tsx';
import { PasskeyList } from '../features/passkeys/passkey-list.tsx';
import { AccountData } from '../features/profile/account-data.tsx';
import { AccountFacts } from '../features/profile/account-facts.tsx';
import { AvatarPicker } from '../features/profile/avatar-picker.tsx';
import { EmailSection } from '../features/profile/email-section.tsx';
import { NamesForm } from '../features/profile/names-form.tsx';
import { NoticesForm } from '../features/profile/notices-form.tsx';
import { PasswordForm } from '../features/profile/password-form.tsx';
import { Preferences } from '../features/profile/preferences.tsx';
import { SessionList } from '../features/profile/session-list.tsx';
import { SecondFactorSection } from '../features/second-factor/second-factor-section.tsx';
import { useSelf } from '../features/session/queries.ts';
import { TelegramBinding } from '../features/telegram/telegram-binding.tsx';
import type words from '../i18n/en_US/profile.json';
import { SectionedPage } from '../ui/form/sectioned-page.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SectionCard } from '../ui/section-card.tsx';

type SectionId = keyof typeof words.section;

/** In the order of the page. The ids are addresses as well: `/panel/profile#second-factor`. */
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

/** The signed-in user's own account. */
export function ProfilePage() {
  const { t } = useTranslation('profile');
  const self = useSelf();
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
      <AccountFacts self={self} />
    </>
  );
}

function Alerts() {
  return (
    <>
      <DestinationList owner="own" />
      <DeliveryList owner="own" />
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
