import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { localText } from '../../../ui/inputs/date-time-input.tsx';
import { oldRecordsQuery, useRemoveOldRecords } from './old-usage-records-queries.ts';

const DAY = 86_400;
const USUAL_DAYS = 90;

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
