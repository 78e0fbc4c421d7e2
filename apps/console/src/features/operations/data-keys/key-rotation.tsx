import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { createClient } from '@switchyard/contract/client';
import { secrets } from '@switchyard/contract/operations/data-keys';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

/** Shows the key that encrypts the stored secrets, and rotates it. */
export function KeyRotation() {
  const { t } = useTranslation('secrets');
  const format = useFormat();
  const { data: state, error, refetch } = useQuery(secretStateQuery);
  const rotate = useRotateDataKey();
  if (state === undefined) return <PendingPanel error={error} refetch={refetch} height={180} />;
  return (
    <Box
      component="section"
      sx={{ display: 'grid', gap: 2, justifyItems: 'start', pt: 2, borderTop: 1, borderColor: 'divider' }}
    >
      <Typography variant="h4" component="h3" sx={{ fontSize: '0.875rem', fontWeight: 500 }}>
        {t('dataKey')}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary', maxWidth: 640 }}>
        {t('explanation')}
      </Typography>
      <DescriptionList
        facts={[
          [t('newest'), <Moment key="newest" seconds={state.newest_created_time} />],
          [t('keys'), format.number(state.data_keys)],
          [t('pending'), state.pending === 0 ? t('allSealed') : format.number(state.pending)],
        ]}
      />
      <ConfirmButton
        variant="outlined"
        color="primary"
        question={{ title: t('question'), text: t('consequence'), verb: t('rotate') }}
        onConfirm={async () => {
          const { pending } = await rotate.mutateAsync();
          notify('success', t(pending === 0 ? 'done' : 'goesOn'));
        }}
      >
        {t('rotate')}
      </ConfirmButton>
      <Typography variant="body2" sx={{ color: 'text.secondary', maxWidth: 640 }}>
        {t('masterKey')}
      </Typography>
    </Box>
  );
}

const api = createClient(secrets, send);

/** Interval while secrets are being re-encrypted. */
const PENDING_MS = 5_000;

const secretStateQuery = queryOptions({
  queryKey: ['secrets', 'state'],
  queryFn: ({ signal }) => api.state({}, signal),
  refetchInterval: ({ state }) => ((state.data?.pending ?? 0) > 0 ? PENDING_MS : false),
});

function useRotateDataKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => withStepUp(() => api.rotate()),
    onSuccess: (state) => client.setQueryData(secretStateQuery.queryKey, state),
  });
}
