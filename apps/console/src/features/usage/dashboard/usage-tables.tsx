import Box from '@mui/material/Box';
import type { Dashboard } from '@switchyard/contract/usage/dashboard';
import { useTranslation } from 'react-i18next';
import { Donut } from '../../../ui/charts/donut.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { ChoiceButtons } from './choice-buttons.tsx';
import { usageByDay, usageByModel } from './daily.ts';
import { DayTable } from './day-table.tsx';
import { ModelTable } from './model-table.tsx';

interface UsageTablesProps {
  days: Dashboard['days'];
  dates: readonly string[];
  /** The log's filter for the same calls. */
  search: Record<string, string>;
}

/** The period by model or, with `?by=day`, by day, beside the models' shares of the calls. */
export function UsageTables({ days, dates, search }: UsageTablesProps) {
  const { t } = useTranslation('dashboard');
  const { compact } = useFormat();
  const by = useSearchParams()['by'] === 'day' ? 'day' : 'model';
  const setSearch = useSetSearchParams();
  const models = usageByModel(days);
  const choice = (
    <ChoiceButtons
      label={t('by')}
      value={by}
      options={[
        { value: 'model', label: t('byModel') },
        { value: 'day', label: t('byDay') },
      ]}
      // The two tables have not all columns in common.
      onChange={(next) =>
        setSearch({ by: next === 'day' ? 'day' : undefined, order: undefined, page: undefined })
      }
    />
  );
  return (
    <Box sx={beside}>
      {by === 'day' ? (
        <DayTable rows={usageByDay(days, dates)} search={search} filterBar={choice} />
      ) : (
        <ModelTable rows={models} search={search} filterBar={choice} />
      )}
      <SectionCard title={t('modelQuestion')}>
        <Donut
          label={t('modelQuestion')}
          parts={models.map(({ model, requests }) => ({ name: model, value: requests }))}
          format={compact}
        />
      </SectionCard>
    </Box>
  );
}

const beside = {
  display: 'grid',
  gap: 2,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 300px' },
} as const;
