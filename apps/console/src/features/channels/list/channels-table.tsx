import type { Channel } from '@switchyard/contract/channels/channels';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import type { ChannelTarget } from '../editor/target-choice.tsx';
import { channelListQuery, listChannels } from '../queries.ts';
import { ChannelBulkActions } from './channel-bulk-actions.tsx';
import { channelColumns } from './channel-columns.tsx';
import { ChannelFilters } from './channel-filters.tsx';
import { ChannelMenu } from './channel-menu.tsx';
import { PriorityDrag } from './priority-drag.tsx';
import { useChannelList } from './use-channel-list.ts';

const noChannels: Channel[] = [];

interface ChannelsTableProps {
  onOpen: (channel: Channel) => void;
  onTest: (channels: readonly Channel[]) => void;
  onEdit: (target: ChannelTarget) => void;
  onExport: (target: ChannelTarget) => void;
  /** The button of the empty list. */
  empty: ReactNode;
}

export function ChannelsTable({ onOpen, onTest, onEdit, onExport, empty }: ChannelsTableProps) {
  const { t } = useTranslation('channels');
  const { list, filter } = useChannelList();
  const groups = useGroupOptions();
  const query = { page: list.page, size: list.size, order: list.order, ...filter };
  const { data, isFetching, error, refetch } = useQuery(channelListQuery(query));
  const columns = useMemo(() => channelColumns(t, groups), [t, groups]);
  const renderMenu = useCallback(
    (channel: Channel) => <ChannelMenu channel={channel} onTest={(one) => onTest([one])} />,
    [onTest],
  );
  const rows = data?.data ?? noChannels;
  const mayWrite = useMay('channels.write');
  const isDraggable = mayWrite && list.order === '-priority' && !list.narrowed;
  return (
    <PriorityDrag channels={isDraggable ? rows : noChannels}>
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
        renderActions={renderMenu}
        {...(mayWrite && {
          renderBulkActions: (selected: Channel[], done: () => void) => {
            const target = { selected, filter, total: data?.total_count };
            return (
              <ChannelBulkActions
                channels={selected}
                onTest={onTest}
                onEdit={() => onEdit(target)}
                onExport={() => onExport(target)}
                onDone={done}
              />
            );
          },
        })}
        fetchPage={(page, size) => listChannels({ ...query, page, size })}
        filterBar={<ChannelFilters list={list} groups={groups} />}
        empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
    </PriorityDrag>
  );
}
