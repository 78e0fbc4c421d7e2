import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { IconFileTypePdf } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { useMay } from '../../accounts/session/queries.ts';
import { monthColumns } from './month-columns.tsx';
import { listMonths, monthListQuery, pdfUrl } from './queries.ts';
import { StoreStatements } from './store-statements.tsx';
import { useUtcFormat } from './use-utc-format.ts';

/** The months in which one's own balance moved; a row opens its statement. */
export function StatementsPage() {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const { month: monthName } = useUtcFormat();
  const navigate = useNavigate();
  const mayStore = useMay('root');
  const list = useListState([], '-date');
  const query = { page: list.page, size: list.size, order: list.order };
  const { data, isFetching, error, refetch } = useQuery(monthListQuery(query));
  const columns = useMemo(() => monthColumns(t, format, monthName), [t, format, monthName]);
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        name="statements"
        label={t('title')}
        columns={columns}
        list={list}
        rows={data?.data}
        total={data?.total_count}
        rowId={({ date }) => date}
        fetching={isFetching}
        error={error}
        onRetry={() => void refetch()}
        onOpen={({ date }) => void navigate({ to: `${paths.statements}/${date}` })}
        renderActions={({ date }) => <PdfButton date={date} month={monthName(date)} />}
        fetchPage={(page, size) => listMonths({ ...query, page, size })}
        empty={
          <EmptyState
            action={
              <LinkButton to={paths.topUp} variant="contained">
                {t('toTopUp')}
              </LinkButton>
            }
          >
            {t('empty')}
          </EmptyState>
        }
      />
      {mayStore && <StoreStatements />}
    </>
  );
}

function PdfButton({ date, month }: { date: string; month: string }) {
  const { t } = useTranslation('statements');
  return (
    <Tooltip title={t('pdf')}>
      <IconButton component="a" size="small" href={pdfUrl(date)} download aria-label={t('pdfOf', { month })}>
        <IconFileTypePdf size={18} />
      </IconButton>
    </Tooltip>
  );
}
