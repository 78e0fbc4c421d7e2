import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { EntryCard } from '../../../ui/layout/entry-card.tsx';
import { EntryLinks } from '../../../ui/layout/entry-links.tsx';
import { useSite, useSystemName } from '../../site/site/queries.ts';
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
