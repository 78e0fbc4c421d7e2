import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { User } from '@switchyard/contract/accounts/users';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { QuotaForm, type QuotaPlan } from './change-balance-form.tsx';
import { useChangeQuota } from './queries.ts';

interface QuotaDialogProps {
  open: boolean;
  user: User;
  onClose: () => void;
}

/** Changes a balance by an amount and shows the balance before and after. */
export function QuotaDialog({ open, user, onClose }: QuotaDialogProps) {
  const titleId = useId();
  const { t } = useTranslation('users');
  const changeQuota = useChangeQuota();
  const withPoints = useWithPoints();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('quotaTitle', { name: user.username })}</DialogTitle>
      {open && (
        <QuotaForm
          balance={user.quota}
          renderOutcome={(plan) => <Balances user={user} plan={plan} />}
          send={async (change) => {
            const after = await changeQuota.mutateAsync({ id: user.id, ...change });
            notify('success', t('quotaDone', { name: user.username, balance: withPoints(after.quota) }));
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

/** `$2.00 (1,000,000 points)` */
function useWithPoints(): (points: number) => string {
  const { t } = useTranslation('users');
  const format = useFormat();
  return (points) => t('withPoints', { money: format.points(points), points: format.number(points) });
}

function Balances({ user, plan }: { user: User; plan: QuotaPlan }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const withPoints = useWithPoints();
  const after = plan.problem === undefined ? plan.after : undefined;
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gap: 0.5, fontVariantNumeric: 'tabular-nums' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('balanceNow', { balance: withPoints(user.quota) })}
      </Typography>
      <Typography sx={{ fontWeight: 600 }}>
        {t('balanceAfter', { balance: after === undefined ? format.points(after) : withPoints(after) })}
      </Typography>
    </Box>
  );
}
