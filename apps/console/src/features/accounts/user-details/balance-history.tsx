import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import type { BalanceEntry } from '@switchyard/contract/accounts/user-details';
import type { UserId } from '@switchyard/contract/ids';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { userPath } from '../../../paths.ts';
import { Moment, Money, Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { balanceHistoryQuery } from './queries.ts';

/** Shows the changes of a balance, newest first; the charges of single calls only on request. */
export function BalanceHistory({ id }: { id: UserId }) {
  const { t } = useTranslation('user-details');
  const [charges, setCharges] = useState(false);
  const history = useInfiniteQuery(balanceHistoryQuery(id, charges));
  const entries = useMemo(() => history.data?.pages.flatMap((page) => page.entries), [history.data]);
  return (
    <SectionCard
      title={t('history')}
      actions={
        <FormControlLabel
          control={<Switch checked={charges} onChange={(_, checked) => setCharges(checked)} />}
          label={t('withCharges')}
        />
      }
    >
      {entries === undefined && <PendingPanel error={history.error} refetch={history.refetch} height={240} />}
      {entries?.length === 0 && <EmptyState>{t('noHistory')}</EmptyState>}
      {entries !== undefined && entries.length > 0 && <Entries entries={entries} t={t} />}
      {history.hasNextPage && (
        <Button
          color="inherit"
          sx={{ mt: 1 }}
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {t('more')}
        </Button>
      )}
    </SectionCard>
  );
}

function Entries({ entries, t }: { entries: readonly BalanceEntry[]; t: TFunction<'user-details'> }) {
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Box
        component="table"
        aria-label={t('history')}
        sx={{
          width: '100%',
          borderCollapse: 'collapse',
          fontSize: '0.8125rem',
          fontVariantNumeric: 'tabular-nums',
          '& th': { textAlign: 'start', fontWeight: 500, color: 'text.secondary', whiteSpace: 'nowrap' },
          '& td, & th': { py: 1, pr: 2, borderBottom: 1, borderColor: 'divider' },
          '& .end': { textAlign: 'end' },
        }}
      >
        <thead>
          <tr>
            <th scope="col">{t('time')}</th>
            <th scope="col">{t('kind')}</th>
            <th scope="col" className="end">
              {t('amount')}
            </th>
            <th scope="col" className="end">
              {t('balanceAfter')}
            </th>
            <th scope="col">{t('remark')}</th>
            <th scope="col">{t('by')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, created_at, kind, amount, balance_after, remark, by }) => (
            <tr key={id}>
              <td>
                <Moment seconds={created_at} />
              </td>
              <td>{t(`kindName.${kind}`)}</td>
              <td className="end">
                {amount > 0 ? '+' : ''}
                <Money points={amount} />
              </td>
              <td className="end">
                <Money points={balance_after} />
              </td>
              <Box component="td" sx={{ overflowWrap: 'anywhere', minWidth: 120 }}>
                {remark === '' ? UNKNOWN : remark}
              </Box>
              <td>
                {by === null ? (
                  UNKNOWN
                ) : (
                  <Link to={userPath(by.id)} color="inherit">
                    <Name id={by.id}>{by.username}</Name>
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}
