import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { localText } from '../../../ui/inputs/date-time-input.tsx';

const DAY = 86_400;
const USUAL_DAYS = 90;
/** Deleting millions of records in batches takes minutes. */
const REMOVAL_DEADLINE_MS = 10 * 60_000;
const sendPatiently: Send = (request) => send(request, REMOVAL_DEADLINE_MS);

const recordsApi = createClient(usageRecords, sendPatiently);

/** Deletes the records of calls older than a day after showing their number. */
export function DeleteOldRecords() {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [day, setDay] = useState(() => localText(Date.now() / 1000 - USUAL_DAYS * DAY).slice(0, 10));
  const start = new Date(`${day}T00:00`).getTime() / 1000;
  const before = Number.isFinite(start) ? start : 0;
  const count = useQuery({ ...oldRecordsQuery(before), enabled: before > 0 }).data;
  const removal = useRemoveOldRecords();
  const found = count === undefined ? '' : t('old.found', { count, shown: format.number(count) });
  return (
    <Box sx={{ display: 'grid', gap: 1, pt: 2, borderTop: 1, borderColor: 'divider' }}>
      <Typography variant="h4" component="h3" sx={{ fontSize: '0.875rem', fontWeight: 500 }}>
        {t('old.title')}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'flex-end', flexWrap: 'wrap' }}>
        <FieldFrame label={t('old.before')} help={t('old.help')} error={undefined}>
          {({ id }) => (
            <OutlinedInput id={id} type="date" value={day} onChange={(event) => setDay(event.target.value)} />
          )}
        </FieldFrame>
        <ConfirmButton
          variant="outlined"
          disabled={count === undefined || count === 0}
          question={{
            title: t('old.question', { count: count ?? 0, shown: format.number(count ?? 0) }),
            text: t('old.lost'),
            verb: t('old.delete'),
            typed: String(count ?? 0),
          }}
          onConfirm={async () => {
            const deleted = await removal.mutateAsync(before);
            notify('success', t('old.done', { count: deleted, shown: format.number(deleted) }));
          }}
        >
          {t('old.delete')}
        </ConfirmButton>
      </Box>
      <Typography variant="body2" sx={{ color: 'text.secondary' }} aria-live="polite">
        {found}
      </Typography>
    </Box>
  );
}

/**
 * Query for the number of call records older than a moment.
 * @param before UTC seconds
 */
function oldRecordsQuery(before: number) {
  return queryOptions({
    queryKey: ['usage-records', 'older', before],
    queryFn: async ({ signal }) => {
      const filter = { end_timestamp: before - 1, size: 1 };
      const calls = await recordsApi.list({ query: { ...filter, log_type: 'consume' } }, signal);
      const errors = await recordsApi.list({ query: { ...filter, log_type: 'error' } }, signal);
      return calls.total_count + errors.total_count;
    },
  });
}

/** @returns the number of deleted records */
function useRemoveOldRecords() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (before: number) => recordsApi.removeOld({ query: { target_timestamp: before } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['usage-records'] }),
  });
}
