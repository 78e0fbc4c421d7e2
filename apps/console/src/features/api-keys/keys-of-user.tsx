import { NEVER, type SeenApiKey } from '@switchyard/contract/api-keys';
import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../ui/data-table/data-table.tsx';
import { useListState } from '../../ui/data-table/list-state.ts';
import { localPage } from '../../ui/data-table/local-page.ts';
import { columnsFor } from '../../ui/data-table/table-features.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { UNKNOWN } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { Name } from '../../ui/name.tsx';
import { useUndoable } from '../../ui/use-undoable.ts';
import { type GroupOption, groupName, useGroupOptions } from '../user-groups/queries.ts';
import { ApiKeyStatusChip } from './api-key-status.tsx';
import { ApiKeyUsage } from './api-key-usage.tsx';
import { keysOfQuery, useSwitchKey } from './queries.ts';

interface KeysOfUserProps {
  id: UserId;
  /** The signed-in user may switch them off and on. */
  may: boolean;
}

/** Somebody's tokens, for administrators: how they are used, and never their text. */
export function KeysOfUser({ id, may }: KeysOfUserProps) {
  const { t } = useTranslation('api-keys');
  const list = useListState([], '-id');
  const { data, isFetching, error, refetch } = useQuery(keysOfQuery(id));
  const groups = useGroupOptions();
  const columns = useMemo(() => seenColumns(t, groups), [t, groups]);
  return (
    <DataTable
      name="tokens-of-user"
      label={t('seen.list')}
      columns={columns}
      list={list}
      rows={data && localPage(data, list, sortValues)}
      total={data?.length}
      rowId={(key) => String(key.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      {...(may ? { renderActions: (key: SeenApiKey) => <SwitchMenu apiKey={key} /> } : {})}
      empty={<EmptyState>{t('seen.empty')}</EmptyState>}
    />
  );
}

const sortValues = {
  id: ({ id }: SeenApiKey) => id,
  name: ({ name }: SeenApiKey) => name,
  used_quota: ({ used_quota }: SeenApiKey) => used_quota,
  accessed_time: ({ accessed_time }: SeenApiKey) => accessed_time,
};

function SwitchMenu({ apiKey: { id, name, status } }: { apiKey: SeenApiKey }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const undoable = useUndoable();
  const { mutateAsync: send } = useSwitchKey();
  const isOff = status === 'disabled';
  const [to, back] = isOff ? (['enabled', 'disabled'] as const) : (['disabled', 'enabled'] as const);
  const change = () =>
    undoable({
      send,
      to: { id, status: to },
      back: () => ({ id, status: back }),
      done: t(isOff ? 'seen.switchedOn' : 'seen.switchedOff', { name }),
    });
  const label = t(isOff ? 'common:enable' : 'common:disable');
  return <MoreMenu entries={[{ label, onSelect: () => void change() }]} />;
}

const helper = columnsFor<SeenApiKey>();

function seenColumns(t: TFunction<'api-keys'>, groups: readonly GroupOption[]) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 200,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.id}>{original.name}</Name>,
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('status', {
      header: t('status'),
      size: 120,
      cell: ({ getValue }) => <ApiKeyStatusChip status={getValue()} />,
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor('used_quota', {
      header: t('usage'),
      size: 210,
      enableSorting: true,
      cell: ({ row }) => <ApiKeyUsage apiKey={row.original} />,
      meta: { label: t('usage'), card: 'figure' },
    }),
    helper.accessor('group', {
      header: t('group'),
      size: 130,
      cell: ({ getValue }) => (getValue() === '' ? t('seen.usersGroup') : groupName(groups, getValue())),
      meta: { label: t('group') },
    }),
    helper.accessor('ratio', {
      header: t('seen.ratio'),
      size: 90,
      cell: ({ getValue }) => `×${getValue()}`,
      meta: { label: t('seen.ratio'), align: 'end' },
    }),
    helper.accessor('api_rate', {
      header: t('rate'),
      size: 150,
      cell: ({ getValue }) => (getValue() === 0 ? UNKNOWN : t('perMinute', { count: getValue() })),
      meta: { label: t('rate'), align: 'end', hidden: true },
    }),
    helper.accessor('created_time', {
      header: t('created'),
      size: 130,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), hidden: true },
    }),
    helper.accessor('accessed_time', {
      header: t('lastUsed'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === 0 ? t('neverUsed') : <Moment seconds={getValue()} />),
      meta: { label: t('lastUsed'), card: 'figure' },
    }),
    helper.accessor('expired_time', {
      header: t('expires'),
      size: 130,
      cell: ({ getValue }) => (getValue() === NEVER ? t('never') : <Moment seconds={getValue()} />),
      meta: { label: t('expires') },
    }),
  ]);
}
