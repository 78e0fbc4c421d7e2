import Alert from '@mui/material/Alert';
import Skeleton from '@mui/material/Skeleton';
import type { Channel, Provider } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { changedValues } from '../../../ui/form/use-contract-form.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { ChannelModelTests } from '../channel-tests/channel-model-tests.tsx';
import { useTestRun } from '../channel-tests/use-test-run.ts';
import { ChannelStatusChip } from '../list/channel-chips-and-figures.tsx';
import { useChannelActions } from '../list/use-channel-actions.ts';
import { channelQuery, providersQuery, useCreateChannel, useUpdateChannel } from '../queries.ts';
import { ChannelForm } from './channel-form.tsx';
import { copyValues, formValues, newValues } from './channel-form-values.ts';
import { ChannelKeys } from './channel-keys.tsx';

const noExtra: [] = [];

/** Creates a channel (`/new`, with `?copy=` from another channel's settings) or changes one. */
export function ChannelEditorPage() {
  const { id } = useParams({ strict: false });
  const [copied] = useSearchParam('copy');
  const edited = channelId.safeParse(id).data;
  const source = edited ?? channelId.safeParse(copied).data;
  const providers = useQuery(providersQuery);
  const channel = useQuery({ ...channelQuery(source ?? channelId.parse(1)), enabled: source !== undefined });
  const failed = providers.error ?? channel.error;
  if (failed !== null) {
    const retry = () => {
      void providers.refetch();
      if (source !== undefined) void channel.refetch();
    };
    return <ErrorPanel error={failed} onRetry={retry} />;
  }
  if (providers.data === undefined || (source !== undefined && channel.data === undefined))
    return <Skeleton variant="rounded" height={480} sx={{ maxWidth: 760 }} />;
  if (edited !== undefined && channel.data !== undefined)
    return <EditChannel key={edited} channel={channel.data} providers={providers.data} />;
  return <NewChannel providers={providers.data} copied={channel.data} />;
}

/** Returns the name of a copy. The form saves this text, so escaping would corrupt the name. */
function nameOfCopy(t: TFunction<'channels'>, { name }: Channel): string {
  return t('copyName', { name, interpolation: { escapeValue: false } }).slice(0, 64);
}

function NewChannel({ providers, copied }: { providers: readonly Provider[]; copied: Channel | undefined }) {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const create = useCreateChannel();
  const values = copied === undefined ? newValues : copyValues(copied, nameOfCopy(t, copied));
  return (
    <>
      <PageHeader title={t('new')} />
      {copied !== undefined && (
        <Alert severity="info" sx={{ mb: 2, maxWidth: 760, ml: { lg: '204px' } }}>
          {t('copyHint')}
        </Alert>
      )}
      <ChannelForm
        providers={providers}
        values={values}
        extra={noExtra}
        onSave={async (body) => {
          const created = await create.mutateAsync(body);
          notify('success', t('createdCount', { count: created.length }));
          const search = created.length === 1 ? { open: String(created[0]?.id) } : {};
          await navigate({ to: paths.channels, search });
          return undefined;
        }}
      />
    </>
  );
}

function EditChannel({ channel, providers }: { channel: Channel; providers: readonly Provider[] }) {
  const { t } = useTranslation(['channels', 'common']);
  const update = useUpdateChannel();
  const tests = useTestRun();
  return (
    <>
      <PageHeader title={<Name id={channel.id}>{channel.name}</Name>} aside={<ChannelStatusChip channel={channel} />} />
      <ChannelForm
        providers={providers}
        values={formValues(channel)}
        stored={{ id: channel.id, keyHint: channel.key_hint, keyCount: channel.key_count }}
        onSave={async (body, before) => {
          const saved = await update.mutateAsync({ ...changedValues(before, body), id: channel.id });
          notify('success', t('common:saved'));
          return formValues(saved);
        }}
        extra={[
          ...(channel.key_count > 0
            ? [{ id: 'keys', title: t('keys.title'), content: <ChannelKeys channel={channel} untitled /> }]
            : []),
          { id: 'test', title: t('section.test'), content: <ChannelModelTests channel={channel} tests={tests} /> },
          { id: 'danger', title: t('section.danger'), content: <Removal channel={channel} /> },
        ]}
      />
    </>
  );
}

function Removal({ channel }: { channel: Channel }) {
  const { t } = useTranslation(['channels', 'common']);
  const navigate = useNavigate();
  const { remove } = useChannelActions();
  return (
    <ConfirmButton
      variant="outlined"
      question={{ title: t('deleteOneTitle', { name: channel.name }), text: t('deleteText'), verb: t('common:delete') }}
      onConfirm={async () => {
        await remove([channel]);
        await navigate({ to: paths.channels, search: {} });
      }}
    >
      {t('deleteThis')}
    </ConfirmButton>
  );
}
