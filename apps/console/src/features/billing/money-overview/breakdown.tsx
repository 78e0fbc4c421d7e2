import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { oneOf } from '../../../ui/table/list-state.ts';
import { IncomeTable } from './income-table.tsx';
import type { Period } from './periods.ts';
import { SalesTable } from './sales-table.tsx';

const ways = ['group', 'model', 'processor'] as const;

interface BreakdownProps {
  period: Period;
  span: Record<string, string>;
}

/** The same by group, model or payment gateway. */
export function Breakdown({ period, span }: BreakdownProps) {
  const { t } = useTranslation('money-overview');
  const search = useSearchParams();
  const setSearch = useSetSearchParams();
  const by = oneOf(search['by'], ways) ?? 'group';
  const head = (
    <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1.5, px: 1, width: '100%' }}>
      <Typography variant="h3" component="h2" sx={{ flexGrow: 1 }}>
        {t(`tableTitle.${by}`)}
      </Typography>
      <ChoiceRow
        label={t('by')}
        value={by}
        options={ways.map((value) => ({ value, label: t(`byName.${value}`) }))}
        onChange={(next) =>
          setSearch({ by: next === 'group' ? undefined : next, order: undefined, page: undefined })
        }
      />
    </Box>
  );
  return by === 'processor' ? (
    <IncomeTable period={period} span={span} head={head} />
  ) : (
    <SalesTable period={period} span={span} head={head} by={by} />
  );
}
