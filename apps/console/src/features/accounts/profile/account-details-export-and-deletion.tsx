import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { Self } from '@switchyard/contract/accounts/profile';
import { IconDownload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { paths } from '../../../paths.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useGroups } from '../user-groups/queries.ts';
import { exportUrl, useDeleteAccount } from './queries.ts';

export function AccountData({ self: { username, quota, role } }: { self: Self }) {
  const { t } = useTranslation('profile');
  const format = useFormat();
  const navigate = useNavigate();
  const remove = useDeleteAccount();
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Row text={t('data.exportText')}>
        <Button
          component="a"
          variant="outlined"
          color="inherit"
          startIcon={<IconDownload size={18} />}
          href={exportUrl}
          download="account.json"
        >
          {t('data.export')}
        </Button>
      </Row>
      <Row text={t(role === 'root' ? 'data.rootStays' : 'data.deleteText')}>
        {role !== 'root' && (
          <ConfirmButton
            variant="outlined"
            question={{
              title: t('data.deleteTitle'),
              text: t('data.deleteQuestion', { balance: format.points(quota) }),
              verb: t('data.delete'),
              typed: username,
            }}
            onConfirm={() => remove(() => navigate({ to: paths.home }))}
          >
            {t('data.delete')}
          </ConfirmButton>
        )}
      </Row>
    </Box>
  );
}

function Row({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5 }}>
      <Typography variant="body2" sx={{ flex: '1 1 260px', color: 'text.secondary' }}>
        {text}
      </Typography>
      {children}
    </Box>
  );
}

export function AccountDetails({ self }: { self: Self }) {
  const { t } = useTranslation(['profile', 'shell']);
  const format = useFormat();
  const group = useGroups()?.[self.group];
  return (
    <DescriptionList
      facts={[
        [t('id'), self.id],
        [t('role'), t(`shell:role.${self.role}`)],
        [t('group'), group === undefined ? self.group : `${isolateBidi(group.name)} ×${format.number(group.ratio, 4)}`],
        [t('balance'), <Money key="balance" points={self.quota} />],
        [t('used'), <Money key="used" points={self.used_quota} />],
        [t('requests'), format.number(self.request_count)],
        [t('memberSince'), format.moment(self.created_time)],
      ]}
    />
  );
}
