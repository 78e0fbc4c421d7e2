import type { VisibleApiKey } from '@switchyard/contract/accounts/api-keys';
import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { type GroupOption, groupName, useGroupOptions } from '../user-groups/queries.ts';
import { keyColumns } from './api-key-columns.tsx';
import { userApiKeysQuery, useToggleApiKey } from './queries.ts';

interface KeysOfUserProps {
  id: UserId;
  /** True if the signed-in user may enable and disable the tokens. */
  may: boolean;
}

/** Lists another user's tokens and their use for administrators, without the keys. */
export function UserApiKeys({ id, may }: KeysOfUserProps) {
  const { t } = useTranslation('api-keys');
  const list = useListState([], '-id');
  const listed = useQuery(userApiKeysQuery(id));
  const groups = useGroupOptions();
  const columns = useMemo(() => seenColumns(t, groups), [t, groups]);
  return (
    <DataTable
      name="tokens-of-user"
      label={t('seen.list')}
      columns={columns}
      list={list}
      query={localQuery(listed.data, list, sortValues, listed)}
      rowId={(key) => String(key.id)}
      {...(may ? { renderActions: (key: VisibleApiKey) => <SwitchMenu apiKey={key} /> } : {})}
      empty={<EmptyState>{t('seen.empty')}</EmptyState>}
    />
  );
}

const sortValues = {
  id: ({ id }: VisibleApiKey) => id,
  name: ({ name }: VisibleApiKey) => name,
  used_quota: ({ used_quota }: VisibleApiKey) => used_quota,
  status: ({ status }: VisibleApiKey) => status,
  created_time: ({ created_time }: VisibleApiKey) => created_time,
  accessed_time: ({ accessed_time }: VisibleApiKey) => accessed_time,
  expired_time: ({ expired_time }: VisibleApiKey) => expired_time,
};

function SwitchMenu({ apiKey: { id, name, status } }: { apiKey: VisibleApiKey }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const undoable = useUndoable();
  const { mutateAsync: send } = useToggleApiKey();
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

const column = columnsFor<VisibleApiKey>();

function seenColumns(t: TFunction<'api-keys'>, groups: readonly GroupOption[]) {
  const { name, status, usage, lastUsed, expires, created } = keyColumns<VisibleApiKey>(t);
  return [
    name,
    status,
    usage,
    column.field('group', t('group'), {
      size: 130,
      cell: (group) => (group === '' ? t('seen.usersGroup') : groupName(groups, group)),
    }),
    column.field('ratio', t('seen.ratio'), { size: 90, align: 'end', cell: (ratio) => `×${ratio}` }),
    column.field('api_rate', t('rate'), {
      size: 150,
      align: 'end',
      hidden: true,
      cell: (apiRate) => (apiRate === 0 ? UNKNOWN : t('perMinute', { count: apiRate })),
    }),
    created,
    lastUsed,
    expires,
  ];
}
