import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { FieldFrame } from '../../../../ui/form/field-frame.tsx';
import { DetailDrawer } from '../../../../ui/overlays/detail-drawer.tsx';
import { PriceForm } from '../editor/price-form.tsx';
import { formValues, priceBody } from '../editor/price-form-values.ts';
import { useSavePriceGroup, versionsOf } from '../queries.ts';

interface PriceGroupEditorProps {
  /** Current prices of the models; the form starts with the first. Empty while closed. */
  prices: readonly Price[];
  onClose: () => void;
}

/** Edits the price of several models at once. */
export function PriceGroupEditor({ prices, onClose }: PriceGroupEditorProps) {
  const { t } = useTranslation('prices');
  const [first] = prices;
  return (
    <DetailDrawer open={first !== undefined} onClose={onClose} title={t('groupTitle', { count: prices.length })}>
      {first !== undefined && <GroupForm prices={prices} first={first} onClose={onClose} />}
    </DetailDrawer>
  );
}

function GroupForm({ prices, first, onClose }: PriceGroupEditorProps & { first: Price }) {
  const { t } = useTranslation('prices');
  const originals = prices.map(({ model }) => model);
  const [models, setModels] = useState(originals);
  const save = useSavePriceGroup();
  const left = originals.length - originals.filter((model) => models.includes(model)).length;
  return (
    <PriceForm
      values={formValues(first)}
      names={
        <FieldFrame
          label={t('models')}
          hint={left > 0 ? t('groupLoses', { count: left }) : t('groupHint')}
          error={models.length === 0 ? t('groupEmpty') : undefined}
        >
          {({ id }) => (
            <Autocomplete
              id={id}
              multiple
              freeSolo
              size="small"
              sx={{ '& .MuiAutocomplete-inputRoot': { maxHeight: 200, overflowY: 'auto' } }}
              options={[]}
              value={models}
              onChange={(_, next) =>
                setModels([...new Set(next.map((name) => name.trim()))].filter((name) => name !== ''))
              }
              renderInput={(params) => <TextField {...params} />}
            />
          )}
        </FieldFrame>
      }
      onCancel={onClose}
      onSave={async (values) => {
        if (models.length === 0) return;
        const { model: _first, ...price } = priceBody(values);
        const { saved } = await save.mutateAsync({
          ...price,
          models,
          original_models: originals,
          versions: versionsOf(prices),
        });
        notify('success', t('groupSaved', { count: saved }));
        onClose();
      }}
    />
  );
}
