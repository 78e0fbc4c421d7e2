import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type Order, orderReason } from '@switchyard/contract/billing/orders';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { newIdempotencyKey } from '../../../idempotency-key.ts';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { type RefundValues, refundableAmount, refundSchema, supportsRefunds } from './order-action-rules.ts';
import { useCloseOrder, useCompleteOrder, useRefundOrder, useResolveOrder } from './queries.ts';

interface RefundDialogProps {
  open: boolean;
  order: Order;
  onClose: () => void;
}

/** Refunds an order fully or partly and deducts the points for it. */
export function RefundDialog({ open, order, onClose }: RefundDialogProps) {
  const { t } = useTranslation('orders');
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('ask.refund')}</DialogTitle>
      {open && <RefundForm order={order} onClose={onClose} />}
    </Dialog>
  );
}

function RefundForm({ order, onClose }: Omit<RefundDialogProps, 'open'>) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const refund = useRefundOrder();
  const [dialogId] = useState(newIdempotencyKey);
  // Fixed at opening: the refetch after a refund lowers the amount, which would invalidate the sent value.
  const [left] = useState(() => refundableAmount(order));
  const through = supportsRefunds(order);
  const contractForm = useContractForm<RefundValues>({
    schema: refundSchema(order),
    values: { amount: left, reason: '', may_leave_debt: false, outside: !through },
    onSubmit: async (values) => {
      await refund.mutateAsync({ ...values, id: order.id, changeId: `${dialogId}:${values.amount}` });
      notify('success', t('done.refund'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <DialogContent sx={{ pb: 2 }}>
      <Form form={contractForm}>
        <NumberInput
          control={control}
          name="amount"
          label={t('refundAmount')}
          unit={order.order_currency}
          hint={t('refundLeft', { left: format.money(left, order.order_currency) })}
        />
        <TextInput control={control} name="reason" label={t('reason')} hint={t('reasonHint')} rows={2} />
        <SwitchInput control={control} name="may_leave_debt" label={t('mayLeaveDebt')} hint={t('mayLeaveDebtHint')} />
        <SwitchInput
          control={control}
          name="outside"
          label={t('outside')}
          hint={t(through ? 'outsideHint' : 'outsideOnly')}
          disabled={!through}
        />
        <FormButtons verb={t('action.refund')} saving={formState.isSubmitting} danger onCancel={onClose} />
      </Form>
    </DialogContent>
  );
}

type ReasonAction = 'complete' | 'close' | 'resolve';

interface ReasonDialogProps {
  action: ReasonAction | undefined;
  order: Order;
  onClose: () => void;
}

const schema = z.object({ reason: orderReason });

/** Asks for the reason of an action, which the order's timeline keeps. */
export function ReasonDialog({ action, order, onClose }: ReasonDialogProps) {
  const { t } = useTranslation('orders');
  const titleId = useId();
  return (
    <Dialog open={action !== undefined} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      {action !== undefined && (
        <>
          <DialogTitle id={titleId}>{t(`ask.${action}`)}</DialogTitle>
          <ReasonForm action={action} order={order} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

function ReasonForm({ action, order, onClose }: ReasonDialogProps & { action: ReasonAction }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const calls = { complete: useCompleteOrder(), close: useCloseOrder(), resolve: useResolveOrder() };
  const contractForm = useContractForm({
    schema,
    values: { reason: '' },
    onSubmit: async ({ reason }) => {
      await calls[action].mutateAsync({ id: order.id, reason });
      notify('success', t(`done.${action}`));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  const facts = {
    amount: format.points(order.quota),
    username: order.username,
    cost: format.money(order.order_amount, order.order_currency),
  };
  return (
    <DialogContent sx={{ pb: 2 }}>
      <Form form={contractForm}>
        <DialogContentText variant="body1">{t(`explain.${action}`, facts)}</DialogContentText>
        <TextInput control={control} name="reason" label={t('reason')} hint={t('reasonHint')} rows={2} autoFocus />
        <FormButtons verb={t(`action.${action}`)} saving={formState.isSubmitting} onCancel={onClose} />
      </Form>
    </DialogContent>
  );
}
