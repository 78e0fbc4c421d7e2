import type { Self } from '@switchyard/contract/profile';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AccessTokenList } from '../features/access-tokens/access-token-list.tsx';
import { IdentityList } from '../features/identities/identity-list.tsx';
import { AccountFacts } from '../features/profile/account-facts.tsx';
import { NamesForm } from '../features/profile/names-form.tsx';
import { PasswordForm } from '../features/profile/password-form.tsx';
import { Preferences } from '../features/profile/preferences.tsx';
import { SessionList } from '../features/profile/session-list.tsx';
import { useSelf } from '../features/session/queries.ts';
import { TelegramBinding } from '../features/telegram/telegram-binding.tsx';
import { SectionedPage } from '../ui/form/sectioned-page.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SectionCard } from '../ui/section-card.tsx';

const sectionIds = ['account', 'names', 'preferences', 'password', 'bindings', 'sessions', 'token'] as const;
type Section = (typeof sectionIds)[number];

/** The signed-in user's own account. */
export function ProfilePage() {
  const { t } = useTranslation('profile');
  const self = useSelf();
  if (self === null) return null;
  const sections = sectionIds.map((id) => ({ id, title: t(`section.${id}`) }));
  return (
    <>
      <PageHeader title={t('title')} />
      <SectionedPage sections={sections}>
        {sections.map(({ id, title }) => (
          <SectionCard key={id} id={id} title={title}>
            {contentOf(id, self)}
          </SectionCard>
        ))}
      </SectionedPage>
    </>
  );
}

function contentOf(section: Section, self: Self): ReactNode {
  switch (section) {
    case 'account':
      return <AccountFacts self={self} />;
    case 'names':
      return <NamesForm self={self} />;
    case 'preferences':
      return <Preferences />;
    case 'password':
      return <PasswordForm />;
    case 'bindings':
      return (
        <>
          <IdentityList />
          <TelegramBinding />
        </>
      );
    case 'sessions':
      return <SessionList />;
    case 'token':
      return <AccessTokenList />;
  }
}
