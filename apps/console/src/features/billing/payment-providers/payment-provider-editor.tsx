import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type PaymentProviderType, paymentProviderTypes } from '@switchyard/contract/billing/payment-provider-types';
import type { PaymentProviderId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { Help } from '../../../ui/form/field-help.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { PaymentProviderIcon } from '../../../ui/product/payment-provider-label.tsx';
import { PaymentProviderForm } from './payment-provider-form.tsx';
import { formValues, newValues, requestBody } from './payment-provider-form-values.ts';
import {
  paymentProviderQuery,
  useCreatePaymentProvider,
  useTestPaymentProvider,
  useUpdatePaymentProvider,
} from './queries.ts';

interface ProcessorEditorProps {
  id: PaymentProviderId | 'new' | undefined;
  onClose: () => void;
  /** Callback after a new payment provider was stored, which can then be tested. */
  onCreated: (id: PaymentProviderId) => void;
}

const WIDTH = 600;

export function PaymentProviderEditor({ id, onClose, onCreated }: ProcessorEditorProps) {
  const { t } = useTranslation('processors');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editTitle')} width={WIDTH}>
      {id === 'new' && <NewForm onClose={onClose} onCreated={onCreated} />}
      {id !== undefined && id !== 'new' && <EditForm key={id} id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function NewForm({ onClose, onCreated }: Omit<ProcessorEditorProps, 'id'>) {
  const { t } = useTranslation(['processors', 'common']);
  const [type, setType] = useState<PaymentProviderType>('stripe');
  const create = useCreatePaymentProvider();
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <ChoiceRow
        label={t('type')}
        value={type}
        options={paymentProviderTypes.map((value) => ({
          value,
          label: t(`typeName.${value}`),
          icon: <PaymentProviderIcon type={value} />,
        }))}
        onChange={setType}
      />
      <PaymentProviderForm
        key={type}
        values={newValues(type)}
        stored={{}}
        onCancel={onClose}
        onSave={async (values) => {
          const made = await create.mutateAsync(requestBody(values));
          notify('success', t('common:saved'));
          onCreated(made.id);
        }}
      />
    </Box>
  );
}

function EditForm({ id, onClose }: { id: PaymentProviderId; onClose: () => void }) {
  const { t } = useTranslation(['processors', 'common']);
  const { data, error, refetch } = useQuery(paymentProviderQuery(id));
  const update = useUpdatePaymentProvider();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={420} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <PaymentProviderIcon type={data.type} />
        {t(`typeName.${data.type}`)}
      </Box>
      <NotifyAddress url={data.notify_url} />
      <PaymentProviderForm
        // Saving changes the stored values and the hints of secrets, so the form starts again from them.
        key={JSON.stringify(data)}
        values={formValues(data)}
        stored={data.secrets}
        onCancel={onClose}
        renderAside={(unchanged) => <ProcessorTest id={id} unchanged={unchanged} />}
        onSave={async (values) => {
          const { type: _fixed, ...body } = requestBody(values);
          await update.mutateAsync({ ...body, id });
          notify('success', t('common:saved'));
        }}
      />
    </Box>
  );
}

/**
 * Shows the URL for the payment provider's webhook events; a warning while the site's public URL is not set.
 */
function NotifyAddress({ url }: { url: string }) {
  const { t } = useTranslation('processors');
  if (url === '') return <Alert severity="warning">{t('noServerAddress')}</Alert>;
  return (
    <Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, fontSize: '0.8125rem', fontWeight: 500 }}>
        {t('notifyUrl')}
        <Help text={t('notifyUrlHelp')} />
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, overflowWrap: 'anywhere', fontSize: '0.8125rem' }}>
        <Mono>{url}</Mono>
        <CopyButton text={url} what={t('notifyUrl')} />
      </Box>
    </Box>
  );
}

interface ProcessorTestProps {
  id: PaymentProviderId;
  /** True if the form has no unsaved changes: only stored values can be tested. */
  unchanged: boolean;
}

function ProcessorTest({ id, unchanged }: ProcessorTestProps) {
  const { t } = useTranslation('processors');
  const sentence = useErrorText();
  const test = useTestPaymentProvider();
  const failure = test.isError ? sentence(test.error) : test.data?.ok === false ? test.data.reason : undefined;
  return (
    <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
      <Button
        variant="outlined"
        color="inherit"
        disabled={!unchanged}
        loading={test.isPending}
        onClick={() => test.mutate(id)}
      >
        {t('test')}
      </Button>
      <Box aria-live="polite" sx={{ fontSize: '0.75rem', color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {!unchanged && t('testAfterSaving')}
        {unchanged && test.data?.ok === true && <Alert severity="success">{t('testOk')}</Alert>}
        {unchanged && failure !== undefined && <Alert severity="error">{t('testFailed', { reason: failure })}</Alert>}
      </Box>
    </Box>
  );
}
