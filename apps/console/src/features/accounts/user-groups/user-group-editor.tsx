import Box from '@mui/material/Box';
import type { UsedGroup } from '@switchyard/contract/accounts/user-groups';
import type { UserGroupId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { changedValues } from '../../../ui/form/changed-values.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useCreateUserGroup, userGroupQuery, useUpdateUserGroup } from './queries.ts';
import { UserGroupForm, type UserGroupValues } from './user-group-form.tsx';

const newValues: UserGroupValues = {
  symbol: '',
  name: '',
  ratio: 1,
  api_rate: 600,
  tpm: 0,
  public: false,
  order: 'weight',
  promotion: false,
  min: 0,
  max: 0,
};

interface UserGroupEditorProps {
  id: UserGroupId | 'new' | undefined;
  /** The group whose values a new one begins with. */
  copied: UserGroupId | undefined;
  onClose: () => void;
}

export function UserGroupEditor({ id, copied, onClose }: UserGroupEditorProps) {
  const { t } = useTranslation('user-groups');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editTitle')}>
      {id === 'new' && copied === undefined && <NewForm values={newValues} onClose={onClose} />}
      {id === 'new' && copied !== undefined && <CopyForm id={copied} onClose={onClose} />}
      {id !== undefined && id !== 'new' && <EditForm id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function CopyForm({ id, onClose }: { id: UserGroupId; onClose: () => void }) {
  const { t } = useTranslation('user-groups');
  const { data, error, refetch } = useQuery(userGroupQuery(id));
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  // Values to be saved, so the name goes into it as it is.
  const name = t('copyName', { name: data.name, interpolation: { escapeValue: false } }).slice(0, 50);
  return <NewForm values={{ ...valuesOf(data), symbol: '', name }} onClose={onClose} />;
}

function valuesOf(group: UsedGroup): UserGroupValues {
  const { id: _id, enable: _enable, members: _m, tokens: _t, channels: _c, ...values } = group;
  return values;
}

function NewForm({ values, onClose }: { values: UserGroupValues; onClose: () => void }) {
  const { t } = useTranslation('common');
  const create = useCreateUserGroup();
  return (
    <UserGroupForm
      values={values}
      symbolFixed={false}
      onCancel={onClose}
      onSave={async (body) => {
        await create.mutateAsync(body);
        notify('success', t('saved'));
        onClose();
      }}
    />
  );
}

function EditForm({ id, onClose }: { id: UserGroupId; onClose: () => void }) {
  const { t } = useTranslation(['user-groups', 'common']);
  const { data, error, refetch } = useQuery(userGroupQuery(id));
  const update = useUpdateUserGroup();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  const values = valuesOf(data);
  const search = { group: values.symbol };
  return (
    <Box sx={{ display: 'grid', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <Mono>{values.symbol}</Mono>
        <Box sx={{ flexGrow: 1 }} />
        <LinkButton size="small" color="inherit" to={paths.users} search={search}>
          {t('itsUsers')}
        </LinkButton>
        <LinkButton size="small" color="inherit" to={paths.channels} search={search}>
          {t('itsChannels')}
        </LinkButton>
        <LinkButton size="small" color="inherit" to={paths.models} search={search}>
          {t('itsModels')}
        </LinkButton>
        <LinkButton size="small" color="inherit" to={paths.usageRecords} search={search}>
          {t('itsLog')}
        </LinkButton>
      </Box>
      <UserGroupForm
        values={values}
        symbolFixed
        onCancel={onClose}
        onSave={async (typed, before) => {
          const { symbol: _fixed, ...body } = changedValues(before, typed);
          await update.mutateAsync({ ...body, id });
          notify('success', t('common:saved'));
          onClose();
        }}
      />
    </Box>
  );
}
