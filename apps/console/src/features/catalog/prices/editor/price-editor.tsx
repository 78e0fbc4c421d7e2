import Box from '@mui/material/Box';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../../ui/display/description-list.tsx';
import { EmptyState, PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { DetailDrawer } from '../../../../ui/overlays/detail-drawer.tsx';
import { Margin, useMargins } from '../list/price-margin.tsx';
import { priceQuery, useCreatePrice, useUpdatePrice } from '../queries.ts';
import { PriceForm } from './price-form.tsx';
import { formValues, newValues, priceBody } from './price-form-values.ts';
import { PriceHistory } from './price-history.tsx';

/** Subject of the editor: a new price, possibly with a model name, or a stored price. */
export type Edited = { create: true; model: string } | { create: false; model: string };

export function PriceEditor({ edited, onClose }: { edited: Edited | undefined; onClose: () => void }) {
  const { t } = useTranslation('prices');
  const title = t(edited?.create === false ? 'editTitle' : 'new');
  return (
    <DetailDrawer open={edited !== undefined} onClose={onClose} title={title}>
      {edited?.create === true && <NewForm key={edited.model} model={edited.model} onClose={onClose} />}
      {edited?.create === false && <EditForm model={edited.model} onClose={onClose} />}
    </DetailDrawer>
  );
}

interface FormProps {
  model: string;
  onClose: () => void;
}

function NewForm({ model, onClose }: FormProps) {
  const { t } = useTranslation('prices');
  const create = useCreatePrice();
  return (
    <PriceForm
      values={newValues(model)}
      onCancel={onClose}
      onSave={async (values) => {
        const created = await create.mutateAsync(priceBody(values));
        notify('success', t('createdName', { model: created.model }));
        onClose();
      }}
    />
  );
}

function EditForm({ model, onClose }: FormProps) {
  const { t } = useTranslation('prices');
  const { data, error, refetch } = useQuery(priceQuery(model));
  if (data === null) return <EmptyState>{t('gone', { model })}</EmptyState>;
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <StoredForm key={model} price={data} onClose={onClose} />
      <MarginFact model={model} />
      <PriceHistory price={data} onRestored={onClose} />
    </Box>
  );
}

function MarginFact({ model }: { model: string }) {
  const { t } = useTranslation('prices');
  const margins = useMargins();
  return margins === undefined ? null : (
    <DescriptionList facts={[[t('marginLong'), <Margin key={model} of={margins[model]} />]]} />
  );
}

function StoredForm({ price, onClose }: { price: Price; onClose: () => void }) {
  const { t } = useTranslation('common');
  const update = useUpdatePrice();
  // The list may be refetched meanwhile; the form keeps the version with which it was opened.
  const [opened] = useState(price);
  return (
    <PriceForm
      values={formValues(opened)}
      onCancel={onClose}
      onSave={async (values) => {
        const { model, version } = opened;
        await update.mutateAsync({ model, body: { ...priceBody(values), version } });
        notify('success', t('saved'));
        onClose();
      }}
    />
  );
}
