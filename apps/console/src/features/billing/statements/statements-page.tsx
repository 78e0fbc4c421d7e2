import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import type { StatementSummary } from '@switchyard/contract/billing/statements';
import { IconFileTypePdf } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { moneyCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { listMonths, monthListQuery, pdfUrl, useStoreStatements } from './queries.ts';
import { useUtcFormat } from './use-utc-format.ts';

/** Lists the months in which the user's balance changed; a row opens its statement. */
export function StatementsPage() {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const { month: monthName } = useUtcFormat();
  const navigate = useNavigate();
  const mayStore = useHasAccess('root');
  const list = useListState([], '-date');
  const query = { page: list.page, size: list.size, order: list.order };
  const listed = useQuery(monthListQuery(query));
  const columns = useMemo(() => monthColumns(t, format, monthName), [t, format, monthName]);
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        name="statements"
        label={t('title')}
        columns={columns}
        list={list}
        query={listed}
        rowId={({ date }) => date}
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

const column = columnsFor<StatementSummary>();

function monthColumns(
  t: TFunction<'statements'>,
  format: ReturnType<typeof useFormat>,
  monthName: (date: string) => string,
) {
  const count = (name: 'request_count' | 'prompt_tokens' | 'completion_tokens', label: string) =>
    column.field(name, label, {
      size: 140,
      sortable: true,
      align: 'end',
      ...(name === 'request_count' ? { card: 'figure' as const } : {}),
      cell: (value) => format.number(value),
    });
  return [
    column.field('date', t('month'), { size: 180, sortable: true, card: 'title', cell: (date) => monthName(date) }),
    column.field('quota', t('charged'), { size: 140, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
    count('request_count', t('requests')),
    count('prompt_tokens', t('tokensIn')),
    count('completion_tokens', t('tokensOut')),
    column.field('request_time', t('time'), {
      size: 140,
      sortable: true,
      align: 'end',
      cell: (requestTime) => format.duration(requestTime),
    }),
  ];
}

const OFFERED = 24;

/** Lets root create the statements of a past month for all users. */
function StoreStatements() {
  const { t } = useTranslation('statements');
  const { month: monthName } = useUtcFormat();
  const notifyError = useNotifyError();
  const [months] = useState(() => pastMonths(OFFERED, new Date()));
  const [date, setDate] = useState(months[0] ?? '');
  const store = useStoreStatements();
  const month = monthName(date);
  const make = (anew: boolean) =>
    store.mutateAsync({ date, anew }).then(() => notify('success', t('store.done', { month })), notifyError);
  return (
    <Box sx={{ mt: 2 }}>
      <SectionCard title={t('store.title')}>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2, maxWidth: 640 }}>
          {t('store.text')}
        </Typography>
        <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'flex-end', flexWrap: 'wrap' }}>
          <Box sx={{ width: { xs: '100%', sm: 240 } }}>
            <FieldFrame label={t('month')} error={undefined}>
              {({ id }) => (
                <Select
                  id={id}
                  fullWidth
                  value={date}
                  onChange={({ target }) => setDate(target.value)}
                  inputProps={{ 'aria-label': t('month') }}
                >
                  {months.map((value) => (
                    <MenuItem key={value} value={value}>
                      {monthName(value)}
                    </MenuItem>
                  ))}
                </Select>
              )}
            </FieldFrame>
          </Box>
          <Button variant="outlined" loading={store.isPending} onClick={() => void make(false)}>
            {t('store.missing')}
          </Button>
          <ConfirmButton
            color="inherit"
            variant="text"
            disabled={store.isPending}
            question={{ title: t('store.anewTitle', { month }), text: t('store.anewText'), verb: t('store.anew') }}
            onConfirm={() => make(true)}
          >
            {t('store.anew')}
          </ConfirmButton>
        </Box>
      </SectionCard>
    </Box>
  );
}

/** Returns the first days of the months before the current one (UTC), newest first. */
function pastMonths(count: number, now: Date): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1 - index)).toISOString().slice(0, 10),
  );
}
