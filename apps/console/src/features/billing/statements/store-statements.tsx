import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { pastMonths } from './past-months.ts';
import { useStoreStatements } from './queries.ts';
import { useUtcFormat } from './use-utc-format.ts';

const OFFERED = 24;

/** Lets the operator create the statements of a past month for all users. */
export function StoreStatements() {
  const { t } = useTranslation('statements');
  const { month: monthName } = useUtcFormat();
  const notifyError = useNotifyError();
  const [months] = useState(() => pastMonths(OFFERED, new Date()));
  const [date, setDate] = useState(months[0] ?? '');
  const store = useStoreStatements();
  const month = monthName(date);
  const make = (anew: boolean) =>
    store.mutateAsync({ date, anew }).then(() => notify('success', t('store.done', { month })), notifyError);
  return (
    <Box sx={{ mt: 2 }}>
      <SectionCard title={t('store.title')}>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2, maxWidth: 640 }}>
          {t('store.text')}
        </Typography>
        <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'flex-end', flexWrap: 'wrap' }}>
          <Box sx={{ width: { xs: '100%', sm: 240 } }}>
            <FieldFrame label={t('month')} error={undefined}>
              {({ id }) => (
                <Select
                  id={id}
                  fullWidth
                  value={date}
                  onChange={({ target }) => setDate(target.value)}
                  inputProps={{ 'aria-label': t('month') }}
                >
                  {months.map((value) => (
                    <MenuItem key={value} value={value}>
                      {monthName(value)}
                    </MenuItem>
                  ))}
                </Select>
              )}
            </FieldFrame>
          </Box>
          <Button variant="outlined" loading={store.isPending} onClick={() => void make(false)}>
            {t('store.missing')}
          </Button>
          <ConfirmButton
            color="inherit"
            variant="text"
            disabled={store.isPending}
            question={{
              title: t('store.anewTitle', { month }),
              text: t('store.anewText'),
              verb: t('store.anew'),
            }}
            onConfirm={() => make(true)}
          >
            {t('store.anew')}
          </ConfirmButton>
        </Box>
      </SectionCard>
    </Box>
  );
}
