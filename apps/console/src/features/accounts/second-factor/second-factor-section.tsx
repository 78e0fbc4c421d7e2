import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { RowList } from '../../../ui/layout/list-row.tsx';
import { lacksSecondFactor, secondFactorQuery } from './queries.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { RecoveryCodesRow } from './recovery-codes-row.tsx';
import { TotpRow } from './totp-row.tsx';

/** The authenticator app and the recovery codes; passkeys, which count as well, have a section of their own. */
export function SecondFactorSection() {
  const { t } = useTranslation('second-factor');
  const format = useFormat();
  const { data: state, error, refetch } = useQuery(secondFactorQuery);
  const [codes, setCodes] = useState<readonly string[]>();
  if (state === undefined) return <PendingPanel error={error} refetch={refetch} height={96} />;
  const protectedAccount = state.totp || state.passkeys > 0;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 0.5 }}>
      {lacksSecondFactor(state) && (
        <Alert severity="warning" sx={{ mb: 1 }}>
          {t('neededFrom', { date: format.day(state.needed_from) })}
        </Alert>
      )}
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t(protectedAccount ? 'introOn' : 'introOff')}
      </Typography>
      <RowList label={t('title')}>
        <TotpRow on={state.totp} onCodes={setCodes} />
        {(protectedAccount || state.recovery_codes_left > 0) && (
          <RecoveryCodesRow left={state.recovery_codes_left} onCodes={setCodes} />
        )}
      </RowList>
      {codes !== undefined && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Box>
  );
}
