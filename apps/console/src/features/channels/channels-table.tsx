import type { Channel } from '@switchyard/contract/channels';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../ui/data-table/data-table.tsx';
import { oneOf, useListState } from '../../ui/data-table/list-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useGroupOptions } from '../user-groups/queries.ts';
import { ChannelBulkActions } from './channel-bulk-actions.tsx';
import { channelColumns } from './channel-columns.tsx';
import { ChannelFilters, channelFilterNames } from './channel-filters.tsx';
import { ChannelMenu } from './channel-menu.tsx';
import { channelStatuses } from './channel-status.tsx';
import { channelListQuery, listChannels } from './queries.ts';

interface ChannelsTableProps {
  onOpen: (channel: Channel) => void;
  onTest: (channels: readonly Channel[]) => void;
  /** The button of the empty list. */
  empty: ReactNode;
}

export function ChannelsTable({ onOpen, onTest, empty }: ChannelsTableProps) {
  const { t } = useTranslation('channels');
  const list = useListState(channelFilterNames, '-priority');
  const groups = useGroupOptions();
  const type = Number(list.filters.type);
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
    type: Number.isInteger(type) ? type : undefined,
    status: oneOf(list.filters.status, channelStatuses),
    group: list.filters.group,
    tag: list.filters.tag,
  };
  const { data, isFetching, error, refetch } = useQuery(channelListQuery(query));
  const columns = useMemo(() => channelColumns(t, groups), [t, groups]);
  return (
    <DataTable
      name="channels"
      label={t('title')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(channel) => String(channel.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      onOpen={onOpen}
      renderActions={(channel) => <ChannelMenu channel={channel} onTest={(one) => onTest([one])} />}
      renderBulkActions={(rows, done) => <ChannelBulkActions channels={rows} onTest={onTest} onDone={done} />}
      fetchPage={(page, size) => listChannels({ ...query, page, size })}
      filterBar={<ChannelFilters list={list} groups={groups} rows={data?.data ?? []} />}
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
