import Pagination from '@mui/material/Pagination';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../../ui/display/moment.tsx';
import { Money } from '../../../../ui/display/money.tsx';
import { Name } from '../../../../ui/display/name.tsx';
import { PendingPanel } from '../../../../ui/feedback/pending-panel.tsx';
import { ListRow, RowList } from '../../../../ui/layout/list-row.tsx';
import { ReadingDialog } from '../../../../ui/overlays/reading-dialog.tsx';
import { invitationListQuery } from '../queries.ts';

interface InvitationsDialogProps {
  open: boolean;
  onClose: () => void;
}

const PAGE_SIZE = 10;

/** Whom the user has invited, and what it brought. */
export function InvitationsDialog({ open, onClose }: InvitationsDialogProps) {
  const { t } = useTranslation('top-up');
  return (
    <ReadingDialog open={open} onClose={onClose} title={t('invitedTitle')} maxWidth="xs">
      <Invitations label={t('invitedTitle')} />
    </ReadingDialog>
  );
}

function Invitations({ label }: { label: string }) {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(invitationListQuery(page, PAGE_SIZE));
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={200} />;
  // Two people may have one name and one moment.
  const rows = data.data.map((row, place) => ({ ...row, place }));
  const pages = Math.ceil(data.total_count / PAGE_SIZE);
  return (
    <>
      <RowList label={label}>
        {rows.map(({ name, created_time, reward, place }) => (
          <ListRow
            key={place}
            title={<Name>{name}</Name>}
            text={<Moment seconds={created_time} />}
            actions={<Money points={reward} />}
          />
        ))}
      </RowList>
      {pages > 1 && (
        <Pagination count={pages} page={page} onChange={(_, next) => setPage(next)} size="small" />
      )}
    </>
  );
}
