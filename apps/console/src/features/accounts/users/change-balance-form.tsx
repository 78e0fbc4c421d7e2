import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { POINTS_PER_USD, type Points, toPoints } from '@switchyard/contract/money';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { newIdempotencyKey } from '../../../idempotency-key.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';

const REMARK_MAX = 200;

interface QuotaFormProps {
  /** Balance of the user; undefined for several users. */
  balance: Points | undefined;
  /** Callback that renders the effect of the change. */
  renderOutcome: (plan: QuotaPlan) => ReactNode;
  send: (change: { quota: Points; remark: string; changeId: string }) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for an amount and a reason. Its change id prevents a retry from applying the change twice. */
export function QuotaForm({ balance, renderOutcome, send, onClose }: QuotaFormProps) {
  const { t } = useTranslation(['users', 'common']);
  const notifyError = useNotifyError();
  const [draft, setDraft] = useState<QuotaDraft>({ direction: 'add', unit: 'usd', amount: '' });
  const [remark, setRemark] = useState('');
  const [sending, setSending] = useState(false);
  const [dialogId] = useState(newIdempotencyKey);
  const plan = planQuotaChange(balance, draft);

  const confirm = async () => {
    if (plan.problem !== undefined) return;
    setSending(true);
    try {
      await send({ quota: plan.change, remark, changeId: `${dialogId}:${plan.change}` });
      onClose();
    } catch (error) {
      notifyError(error);
    } finally {
      setSending(false);
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
        {renderOutcome(plan)}
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
          loading={sending}
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

interface QuotaDraft {
  direction: 'add' | 'deduct';
  unit: 'usd' | 'points';
  /** Entered amount without a sign. */
  amount: string;
}

export type QuotaPlan =
  | { problem: 'empty' | 'notAnAmount' | 'tooMuch' }
  | { problem: undefined; change: Points; after: Points | undefined };

/**
 * Returns the effect of a change on a balance, or the reason why it is invalid.
 * @param balance undefined for several users
 */
export function planQuotaChange(balance: Points | undefined, { direction, unit, amount }: QuotaDraft): QuotaPlan {
  if (amount.trim() === '') return { problem: 'empty' };
  const typed = parseNumberText(amount);
  const size = Math.round(typed * (unit === 'usd' ? POINTS_PER_USD : 1));
  if (!Number.isSafeInteger(size) || size <= 0) return { problem: 'notAnAmount' };
  if (unit === 'points' && typed !== size) return { problem: 'notAnAmount' };
  if (direction === 'deduct' && balance !== undefined && size > balance) return { problem: 'tooMuch' };
  const change = direction === 'add' ? size : -size;
  const after = balance === undefined ? undefined : toPoints(balance + change);
  return { problem: undefined, change: toPoints(change), after };
}
