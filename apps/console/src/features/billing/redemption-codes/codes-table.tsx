import type { RedemptionCode } from '@switchyard/contract/billing/redemption-codes';
import { codeBatchId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../ui/table/list-state.ts';
import { useMay } from '../../accounts/session/queries.ts';
import { codeColumns } from './code-columns.tsx';
import { CodeMenu } from './code-menu.tsx';
import { codeListQuery, listCodes } from './queries.ts';

const statuses = ['enabled', 'disabled', 'used'] as const;
const texts = ['batch_id', 'username'] as const;

/** Single codes: which there are, and who redeemed which when. */
export function CodesTable({ mayWrite }: { mayWrite: boolean }) {
  const { t } = useTranslation('redemption-codes');
  const linksUsers = useMay('users.read');
  const list = useListState(['status', ...texts], '-id');
  const status = oneOf(list.filters.status, statuses);
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
    status,
    batch_id: codeBatchId.safeParse(list.filters.batch_id).data,
    username: list.filters.username,
  };
  const { data, isFetching, error, refetch } = useQuery(codeListQuery(query));
  const columns = useMemo(() => codeColumns(t, linksUsers), [t, linksUsers]);
  return (
    <DataTable
      name="redemption-codes"
      label={t('codes')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(code) => String(code.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      {...(mayWrite ? { renderActions: (code: RedemptionCode) => <CodeMenu code={code} /> } : {})}
      fetchPage={(page, size) => listCodes({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('searchCodes')}>
          <FilterChip
            label={t('status')}
            value={status}
            options={statuses.map((value) => ({ value, label: t(`statusName.${value}`) }))}
            onChange={(value) => list.setFilter('status', value)}
          />
          <TextFilters list={list} names={texts} labelOf={(name) => t(`filter.${name}`)} />
        </FilterBar>
      }
      empty={<EmptyState>{t('noCodes')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('noCodeFound')}</EmptyState>}
    />
  );
}
