import Box from '@mui/material/Box';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { Dashboard } from '@switchyard/contract/usage/dashboard';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Donut } from '../../../ui/charts/donut.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { moneyCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { boundsOfDate, type DayUsage, usageByDay, usageByModel } from './daily-usage.ts';
import { ModelTable } from './model-charts-and-table.tsx';

interface UsageTablesProps {
  days: Dashboard['days'];
  dates: readonly string[];
  /** Filter of the usage records for the same calls. */
  search: Record<string, string>;
}

/** Shows the usage by model or, with `?by=day`, by day, beside the models' shares. */
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
      // The two tables have different sort columns.
      onChange={(next) => setSearch({ by: next === 'day' ? 'day' : undefined, order: undefined, page: undefined })}
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

const sortValues = {
  date: (row: DayUsage) => row.date,
  requests: (row: DayUsage) => row.requests,
  prompt: (row: DayUsage) => row.prompt,
  completion: (row: DayUsage) => row.completion,
  meanTime: (row: DayUsage) => row.meanTime,
  spend: (row: DayUsage) => row.spend,
};

interface DayTableProps {
  rows: readonly DayUsage[];
  /** Filter of the usage records for the same calls. */
  search: Record<string, string>;
  filterBar: ReactNode;
}

/** Shows the usage by day; a row opens its usage records. */
function DayTable({ rows, search, filterBar }: DayTableProps) {
  const { t } = useTranslation('dashboard');
  const list = useListState([], '-date');
  const navigate = useNavigate();
  const format = useFormat();
  const columns = useMemo(() => dayColumns(t, format), [t, format]);
  return (
    <DataTable
      name="usage-by-day"
      label={t('byDay')}
      columns={columns}
      list={list}
      query={localQuery(rows, list, sortValues)}
      rowId={(row) => row.date}
      onOpen={({ date }) => void navigate({ to: paths.usageRecords, search: { ...search, ...boundsOfDate(date) } })}
      filterBar={filterBar}
      empty={<EmptyState>{t('nothing')}</EmptyState>}
    />
  );
}

const column = columnsFor<DayUsage>();

function dayColumns(t: TFunction<'dashboard'>, format: ReturnType<typeof useFormat>) {
  return [
    column.field('date', t('date'), { size: 150, sortable: true, card: 'title', cell: (date) => format.date(date) }),
    column.field('requests', t('requests'), {
      size: 120,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (requests) => format.number(requests),
    }),
    column.field('prompt', t('tokensIn'), {
      size: 130,
      sortable: true,
      align: 'end',
      cell: (prompt) => format.number(prompt),
    }),
    column.field('completion', t('tokensOut'), {
      size: 130,
      sortable: true,
      align: 'end',
      cell: (completion) => format.number(completion),
    }),
    column.field('meanTime', t('meanTime'), {
      size: 120,
      sortable: true,
      align: 'end',
      cell: (meanTime) => format.duration(meanTime),
    }),
    column.field('spend', t('spend'), { size: 120, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
  ];
}

interface ChoiceButtonsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** Renders a few options as buttons, of which one is selected. */
export function ChoiceButtons<Value extends string>({ label, value, options, onChange }: ChoiceButtonsProps<Value>) {
  return (
    <ToggleButtonGroup size="small" exclusive value={value} aria-label={label}>
      {options.map((option) => (
        <ToggleButton
          key={option.value}
          value={option.value}
          onClick={() => onChange(option.value)}
          sx={{ px: 1.5, height: { xs: 40, md: 36 }, whiteSpace: 'nowrap' }}
        >
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
