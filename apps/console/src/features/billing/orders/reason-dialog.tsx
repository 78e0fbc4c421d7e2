import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type Order, orderReason } from '@switchyard/contract/billing/orders';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { notify } from '../../../ui/feedback/notices.ts';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useCloseOrder, useCompleteOrder, useResolveOrder } from './queries.ts';

type ReasonAction = 'complete' | 'close' | 'resolve';

interface ReasonDialogProps {
  action: ReasonAction | undefined;
  order: Order;
  onClose: () => void;
}

const schema = z.object({ reason: orderReason });

/** Something that staff do to an order, with the reason that its timeline keeps. */
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
        <TextInput
          control={control}
          name="reason"
          label={t('reason')}
          hint={t('reasonHint')}
          rows={2}
          autoFocus
        />
        <FormButtons verb={t(`action.${action}`)} saving={formState.isSubmitting} onCancel={onClose} />
      </Form>
    </DialogContent>
  );
}
