import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { EntryCard } from '../../ui/entry-card.tsx';
import { EntryLinks } from '../../ui/entry-links.tsx';
import { Link } from '../../ui/link.tsx';
import { useSite, useSystemName } from '../site/queries.ts';
import { RegisterForm } from './register-form.tsx';

export function RegisterPage() {
  const { t } = useTranslation('sign-up');
  const isOpen = useSite()?.register_enabled !== false;
  return (
    <EntryCard title={t('register.title')} subtitle={useSystemName()}>
      {isOpen ? <RegisterForm /> : <Box>{t('register.closed')}</Box>}
      <EntryLinks>
        <Link to={paths.signIn}>{t('register.signIn')}</Link>
      </EntryLinks>
    </EntryCard>
  );
}
