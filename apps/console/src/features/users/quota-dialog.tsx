import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import type { User } from '@switchyard/contract/users';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { newChangeId } from '../../change-id.ts';
import { notify } from '../../ui/notices.ts';
import { useFormat } from '../../ui/use-format.ts';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { useChangeQuota } from './queries.ts';
import { planQuotaChange, type QuotaDraft, type QuotaPlan } from './quota-change.ts';

const REMARK_MAX = 200;

interface QuotaDialogProps {
  open: boolean;
  user: User;
  onClose: () => void;
}

/** Adds to a balance or deducts from it; the balance that results is shown before and after. */
export function QuotaDialog({ open, user, onClose }: QuotaDialogProps) {
  const titleId = useId();
  const { t } = useTranslation('users');
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('quotaTitle', { name: user.username })}</DialogTitle>
      {open && <QuotaForm user={user} onClose={onClose} />}
    </Dialog>
  );
}

function QuotaForm({ user, onClose }: Omit<QuotaDialogProps, 'open'>) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const notifyError = useNotifyError();
  const changeQuota = useChangeQuota();
  const [draft, setDraft] = useState<QuotaDraft>({ direction: 'add', unit: 'usd', amount: '' });
  const [remark, setRemark] = useState('');
  const [dialogId] = useState(newChangeId);
  const plan = planQuotaChange(user.quota, draft);

  const confirm = async () => {
    if (plan.problem !== undefined) return;
    try {
      const after = await changeQuota.mutateAsync({
        id: user.id,
        changeId: `${dialogId}:${plan.change}`,
        quota: plan.change,
        remark,
      });
      notify('success', t('quotaDone', { name: user.username, balance: format.points(after.quota) }));
      onClose();
    } catch (error) {
      notifyError(error);
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void confirm();
      }}
    >
      <DialogContent sx={{ display: 'grid', gap: 2, pt: 0 }}>
        <AmountField draft={draft} onChange={setDraft} problem={plan.problem} />
        <TextField
          label={t('remark')}
          value={remark}
          onChange={(event) => setRemark(event.target.value)}
          helperText={t('remarkHint')}
          slotProps={{ htmlInput: { maxLength: REMARK_MAX } }}
        />
        <Balances user={user} plan={plan} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button
          type="submit"
          variant="contained"
          color={draft.direction === 'deduct' ? 'error' : 'primary'}
          disabled={plan.problem !== undefined}
          loading={changeQuota.isPending}
        >
          {t(draft.direction)}
        </Button>
      </DialogActions>
    </form>
  );
}

interface AmountFieldProps {
  draft: QuotaDraft;
  onChange: (draft: QuotaDraft) => void;
  problem: QuotaPlan['problem'];
}

function AmountField({ draft, onChange, problem }: AmountFieldProps) {
  const { t } = useTranslation('users');
  const wrong = problem !== undefined && problem !== 'empty';
  const choose = <Name extends 'direction' | 'unit'>(name: Name, value: QuotaDraft[Name] | null) => {
    if (value !== null) onChange({ ...draft, [name]: value });
  };
  return (
    <>
      <Box sx={{ display: 'flex', gap: 1, justifyContent: 'space-between' }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={draft.direction}
          onChange={(_, value: QuotaDraft['direction'] | null) => choose('direction', value)}
          aria-label={t('direction')}
        >
          <ToggleButton value="add">{t('add')}</ToggleButton>
          <ToggleButton value="deduct">{t('deduct')}</ToggleButton>
        </ToggleButtonGroup>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={draft.unit}
          onChange={(_, value: QuotaDraft['unit'] | null) => choose('unit', value)}
          aria-label={t('unit')}
        >
          <ToggleButton value="usd">{t('usd')}</ToggleButton>
          <ToggleButton value="points">{t('points')}</ToggleButton>
        </ToggleButtonGroup>
      </Box>
      <TextField
        autoFocus
        label={t('amount')}
        value={draft.amount}
        onChange={(event) => onChange({ ...draft, amount: event.target.value })}
        error={wrong}
        helperText={wrong ? t(problem) : ' '}
        autoComplete="off"
        slotProps={{ htmlInput: { inputMode: 'decimal' } }}
      />
    </>
  );
}

function Balances({ user, plan }: { user: User; plan: QuotaPlan }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const after = plan.problem === undefined ? plan.after : undefined;
  return (
    <Box
      aria-live="polite"
      sx={{
        display: 'flex',
        justifyContent: 'space-between',
        alignItems: 'baseline',
        gap: 2,
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('balanceNow', { balance: format.points(user.quota) })}
      </Typography>
      <Typography sx={{ fontWeight: 600 }}>{t('balanceAfter', { balance: format.points(after) })}</Typography>
    </Box>
  );
}
