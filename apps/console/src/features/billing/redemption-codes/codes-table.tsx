import type { RedemptionCode } from '@switchyard/contract/billing/redemption-codes';
import { codeBatchId } from '@switchyard/contract/ids';
import type { RedemptionStatus } from '@switchyard/contract/wire-enums';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { userPath } from '../../../paths.ts';
import { MoreMenu, type MoreMenuEntry } from '../../../ui/actions/more-menu.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { momentCell, moneyCell, monoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { hasExpired } from './new-batch-defaults-and-redeem-url.ts';
import {
  codeListQuery,
  listCodes,
  revealCode,
  type SettableStatus,
  useRemoveCode,
  useSetCodeStatus,
} from './queries.ts';

const statuses = ['enabled', 'disabled', 'used'] as const;
const texts = ['batch_id', 'username'] as const;

/** Lists single codes with their redeemers and redemption times. */
export function CodesTable({ mayWrite }: { mayWrite: boolean }) {
  const { t } = useTranslation('redemption-codes');
  const linksUsers = useHasAccess('users.read');
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
  const listed = useQuery(codeListQuery(query));
  const columns = useMemo(() => codeColumns(t, linksUsers), [t, linksUsers]);
  return (
    <DataTable
      name="redemption-codes"
      label={t('codes')}
      columns={columns}
      list={list}
      query={listed}
      rowId={(code) => String(code.id)}
      {...(mayWrite ? { renderActions: (code: RedemptionCode) => <CodeMenu code={code} /> } : {})}
      fetchPage={(page, size) => listCodes({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('searchCodes')}>
          <FilterChips
            list={list}
            chips={[
              { name: 'status', label: t('status'), options: toOptions(statuses, (value) => t(`statusName.${value}`)) },
            ]}
          />
          <TextFilters list={list} names={texts} labelOf={(name) => t(`filter.${name}`)} />
        </FilterBar>
      }
      empty={<EmptyState>{t('noCodes')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('noCodeFound')}</EmptyState>}
    />
  );
}

/** Offers actions for a code; a used code can only be shown. */
function CodeMenu({ code }: { code: RedemptionCode }) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const [shown, setShown] = useState<string>();
  const { reveal, toggle, remove } = useCodeActions();
  const changes: MoreMenuEntry[] = [
    { label: t(code.status === 'enabled' ? 'common:disable' : 'common:enable'), onSelect: () => void toggle(code) },
    {
      label: t('common:delete'),
      danger: true,
      apart: true,
      question: { title: t('deleteCodeTitle', { hint: code.hint }), text: t('deleteCodeText') },
      onConfirm: () => remove(code),
    },
  ];
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('showCode'), onSelect: () => void reveal(code).then(setShown) },
          ...(code.status === 'used' ? [] : changes),
        ]}
      />
      <TextDialog open={shown !== undefined} onClose={() => setShown(undefined)} title={t('code')} maxWidth="xs">
        <CodeBlock code={shown ?? ''} label={t('codeInText')} />
      </TextDialog>
    </>
  );
}

/** Returns the actions for a code, which report their result. */
function useCodeActions() {
  const { t } = useTranslation('redemption-codes');
  const undoable = useUndoable();
  const notifyError = useNotifyError();
  const { mutateAsync: setStatus } = useSetCodeStatus();
  const { mutateAsync: sendRemoval } = useRemoveCode();

  const toggle = ({ id, hint, status }: RedemptionCode) => {
    const to: SettableStatus = status === 'enabled' ? 'disabled' : 'enabled';
    const back: SettableStatus = to === 'enabled' ? 'disabled' : 'enabled';
    return undoable({
      send: setStatus,
      to: { id, status: to },
      back: () => ({ id, status: back }),
      done: t(to === 'disabled' ? 'disabledCode' : 'enabledCode', { hint }),
    });
  };
  const remove = async ({ id, hint }: RedemptionCode) => {
    await sendRemoval(id);
    notify('success', t('deletedCode', { hint }));
  };
  /** Returns the code; undefined after a reported failure or a cancelled confirmation. */
  const reveal = async ({ id }: RedemptionCode): Promise<string | undefined> => {
    try {
      return await revealCode(id);
    } catch (error) {
      notifyError(error);
      return undefined;
    }
  };
  return { toggle, remove, reveal };
}

const column = columnsFor<RedemptionCode>();
type Words = TFunction<'redemption-codes'>;
const tones: Readonly<Record<RedemptionStatus, Tone>> = { enabled: 'success', disabled: 'neutral', used: 'primary' };

/** @param linksUsers whether the signed-in user may also see users */
function codeColumns(t: Words, linksUsers: boolean) {
  return [
    column.field('hint', t('code'), { size: 110, card: 'title', cell: monoCell }),
    column.field('name', t('batch'), {
      size: 200,
      sortable: true,
      cell: (_, code) => <Name id={code.batch_id}>{code.name}</Name>,
    }),
    column.field('status', t('status'), {
      size: 120,
      sortable: true,
      card: 'state',
      cell: (_, code) => <CodeStatus code={code} t={t} />,
    }),
    column.field('quota', t('worth'), { size: 110, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
    column.field('redeemed_by', t('redeemedBy'), {
      size: 170,
      card: 'figure',
      cell: (_, code) => <Redeemer code={code} links={linksUsers} />,
    }),
    column.field('redeemed_time', t('redeemedTime'), { size: 140, sortable: true, cell: momentCell }),
    column.field('expires_time', t('expires'), {
      size: 130,
      cell: (expiresTime) => (expiresTime === 0 ? t('never') : <Moment seconds={expiresTime} />),
    }),
    column.field('created_time', t('created'), { size: 130, sortable: true, hidden: true, cell: momentCell }),
  ];
}

function CodeStatus({ code: { status, expires_time }, t }: { code: RedemptionCode; t: Words }) {
  if (status === 'enabled' && hasExpired(expires_time))
    return <StatusChip tone="warning">{t('statusName.expired')}</StatusChip>;
  return <StatusChip tone={tones[status]}>{t(`statusName.${status}`)}</StatusChip>;
}

function Redeemer({ code: { redeemed_by }, links }: { code: RedemptionCode; links: boolean }) {
  if (redeemed_by === null) return UNKNOWN;
  const name = <Name id={redeemed_by.id}>{redeemed_by.username}</Name>;
  if (!links) return name;
  return <Link to={userPath(redeemed_by.id)}>{name}</Link>;
}
