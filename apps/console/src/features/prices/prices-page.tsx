import Button from '@mui/material/Button';
import { IconCalculator, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { LinkButton } from '../../ui/link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { PrimaryAction } from '../../ui/primary-action.tsx';
import { useSearchParams, useSetSearchParams } from '../../ui/search-params.ts';
import { PriceCalculator } from './price-calculator.tsx';
import { type Edited, PriceEditor } from './price-editor.tsx';
import { PricesTable } from './prices-table.tsx';
import { UnpricedBanner } from './unpriced-banner.tsx';

/** The price list. `?show=` is `new`, `edit` or `calculator`, and `?model=` what it is about. */
export function PricesPage() {
  const { t } = useTranslation('prices');
  const { show: shown, model = '' } = useSearchParams();
  const setSearch = useSetSearchParams();
  const show = (what: 'new' | 'edit' | 'calculator', about = '') =>
    setSearch({ show: what, model: about }, 'push');
  const close = () => setSearch({ show: undefined, model: undefined }, 'push');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <Button
              color="inherit"
              startIcon={<IconCalculator size={18} />}
              onClick={() => show('calculator')}
            >
              {t('calculator')}
            </Button>
            <LinkButton to={paths.catalogue} variant="outlined" color="inherit">
              {t('update')}
            </LinkButton>
            <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={() => show('new')} />
          </>
        }
      />
      <UnpricedBanner onAdd={(name) => show('new', name)} />
      <PricesTable
        onEdit={(price) => show('edit', price.model)}
        onCalculate={(price) => show('calculator', price.model)}
        empty={
          <LinkButton to={paths.catalogue} variant="contained">
            {t('update')}
          </LinkButton>
        }
      />
      <PriceEditor edited={editedOf(shown, model)} onClose={close} />
      <PriceCalculator open={shown === 'calculator'} model={model} onClose={close} />
    </>
  );
}

function editedOf(shown: string | undefined, model: string): Edited | undefined {
  if (shown === 'new') return { create: true, model };
  return shown === 'edit' && model !== '' ? { create: false, model } : undefined;
}
