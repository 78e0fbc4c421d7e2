import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { MissingRate, Price } from '@switchyard/contract/catalog/prices';
import { IconCalculator, IconPencil, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../../paths.ts';
import { ChoiceRow } from '../../../../ui/actions/choice-row.tsx';
import { PrimaryAction } from '../../../../ui/actions/primary-action.tsx';
import { LinkButton } from '../../../../ui/display/link.tsx';
import { useSearchParams, useSetSearchParams } from '../../../../ui/filters/search-params.ts';
import { LazyOverlay } from '../../../../ui/layout/lazy-overlay.tsx';
import { PageHeader } from '../../../../ui/layout/page-header.tsx';
import { monoFont } from '../../../../ui/theme/design-tokens.ts';
import { useHasAccess } from '../../../accounts/session/queries.ts';
import type { Edited } from '../editor/price-editor.tsx';
import { missingRatesQuery, unpricedQuery } from '../queries.ts';
import { PriceGroupsTable } from './price-groups-table.tsx';
import { PricesTable } from './prices-table.tsx';

const PriceCalculator = lazy(() =>
  import('../editor/price-calculator.tsx').then((module) => ({ default: module.PriceCalculator })),
);
const PriceEditor = lazy(() =>
  import('../editor/price-editor.tsx').then((module) => ({ default: module.PriceEditor })),
);
const PriceGroupEditor = lazy(() =>
  import('./price-group-editor.tsx').then((module) => ({ default: module.PriceGroupEditor })),
);

/**
 * Lists the prices by model, or with `?view=groups` by distinct price. `?show=` opens `new`, `edit` or
 * `calculator` for `?model=`.
 */
export function PricesPage() {
  const { t } = useTranslation('prices');
  const { show: shown, model = '', view } = useSearchParams();
  const [together, setTogether] = useState<readonly Price[]>([]);
  const setSearch = useSetSearchParams();
  const mayWrite = useHasAccess('prices.write');
  const edited = mayWrite ? editedOf(shown, model) : undefined;
  const show = (what: 'new' | 'edit' | 'calculator', about = '') => setSearch({ show: what, model: about }, 'push');
  const close = () => setSearch({ show: undefined, model: undefined }, 'push');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <Button color="inherit" startIcon={<IconCalculator size={18} />} onClick={() => show('calculator')}>
              {t('calculator')}
            </Button>
            <LinkButton to={paths.catalogue} variant="outlined" color="inherit">
              {t('update')}
            </LinkButton>
            {mayWrite && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={() => show('new')} />}
          </>
        }
      />
      {mayWrite && <MissingRatesBanner onEdit={(name) => show('edit', name)} />}
      {mayWrite && <UnpricedBanner onAdd={(name) => show('new', name)} />}
      <Box sx={{ mb: 2 }}>
        <ChoiceRow
          label={t('view')}
          value={view === 'groups' ? 'groups' : 'models'}
          options={[
            { value: 'models', label: t('viewOf.models') },
            { value: 'groups', label: t('viewOf.groups') },
          ]}
          // The two lists have different sort columns.
          onChange={(next) =>
            setSearch({ view: next === 'groups' ? next : undefined, order: undefined, page: undefined })
          }
        />
      </Box>
      {view === 'groups' ? (
        <PriceGroupsTable {...(mayWrite && { onEdit: setTogether })} />
      ) : (
        <PricesTable
          mayWrite={mayWrite}
          onEdit={(price) => show('edit', price.model)}
          onEditTogether={setTogether}
          onCalculate={(price) => show('calculator', price.model)}
          empty={
            <LinkButton to={paths.catalogue} variant="contained">
              {t('update')}
            </LinkButton>
          }
        />
      )}
      <LazyOverlay open={edited !== undefined}>
        <PriceEditor edited={edited} onClose={close} />
      </LazyOverlay>
      <LazyOverlay open={together.length > 0}>
        <PriceGroupEditor prices={together} onClose={() => setTogether([])} />
      </LazyOverlay>
      <LazyOverlay open={shown === 'calculator'}>
        <PriceCalculator open={shown === 'calculator'} model={model} onClose={close} />
      </LazyOverlay>
    </>
  );
}

function editedOf(shown: string | undefined, model: string): Edited | undefined {
  if (shown === 'new') return { create: true, model };
  return shown === 'edit' && model !== '' ? { create: false, model } : undefined;
}

/** Warns about counters that calls used and whose price has no rate for them; a button opens the price. */
function MissingRatesBanner({ onEdit }: { onEdit: (model: string) => void }) {
  const { t } = useTranslation('prices');
  const missing = useQuery(missingRatesQuery).data ?? [];
  const labelOf = (counter: MissingRate['counter']) =>
    counter === 'input' || counter === 'output' ? t(counter) : t(`kind.${counter}`);
  const tasks = missing.map(({ model, counter }) => ({
    key: `${model} ${counter}`,
    label: t('setRateFor', { model, counter: labelOf(counter) }),
    icon: <IconPencil size={14} />,
    name: (
      <>
        <Box component="span" sx={{ fontFamily: monoFont }}>
          {model}
        </Box>
        {labelOf(counter)}
      </>
    ),
    onClick: () => onEdit(model),
  }));
  return <PriceWarning message={t('missingRates', { count: missing.length })} tasks={tasks} />;
}

/** Warns about models that channels offer without a price; a button adds one. */
function UnpricedBanner({ onAdd }: { onAdd: (model: string) => void }) {
  const { t } = useTranslation('prices');
  const models = useQuery(unpricedQuery).data ?? [];
  const tasks = models.map((model) => ({
    key: model,
    label: t('addPriceFor', { model }),
    icon: <IconPlus size={14} />,
    name: (
      <Box component="span" sx={{ fontFamily: monoFont }}>
        {model}
      </Box>
    ),
    onClick: () => onAdd(model),
  }));
  return (
    <PriceWarning message={t('unpriced', { count: models.length })} tasks={tasks}>
      <LinkButton to={paths.catalogue} size="small" color="inherit">
        {t('fixUnpriced')}
      </LinkButton>
    </PriceWarning>
  );
}

/** Number of buttons that fit above the table without pushing it down. */
const SHOWN = 5;

interface PriceTask {
  key: string;
  /** Accessible label of the button. */
  label: string;
  icon: ReactNode;
  name: ReactNode;
  onClick: () => void;
}

/** Shows a warning with a button for each price that needs attention, if there are any. */
function PriceWarning({
  message,
  tasks,
  children,
}: {
  message: string;
  tasks: readonly PriceTask[];
  /** Content after the buttons. */
  children?: ReactNode;
}) {
  const { t } = useTranslation('prices');
  const [everyOne, setEveryOne] = useState(false);
  if (tasks.length === 0) return null;
  const shown = everyOne ? tasks : tasks.slice(0, SHOWN);
  return (
    <Alert severity="warning" sx={{ mb: 1.5, py: 0.25 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        {message}
        {shown.map(({ key, label, icon, name, onClick }) => (
          <Button
            key={key}
            size="small"
            variant="outlined"
            color="inherit"
            startIcon={icon}
            aria-label={label}
            onClick={onClick}
            sx={{ fontSize: '0.75rem', textTransform: 'none', gap: 0.5 }}
          >
            {name}
          </Button>
        ))}
        {tasks.length > shown.length && (
          <Button size="small" color="inherit" onClick={() => setEveryOne(true)}>
            {t('showMore', { count: tasks.length - shown.length })}
          </Button>
        )}
        {children}
      </Box>
    </Alert>
  );
}
