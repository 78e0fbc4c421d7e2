import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { usageRecordId } from '@switchyard/contract/ids';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/file-buttons.tsx';
import { useSearchParam, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { exportUrl } from './queries.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { filterNames, recordFilter } from './record-filters.tsx';
import { UsageRecordsTable } from './usage-records-table.tsx';

const NEWEST_FIRST = '-id';

/** Lists all usage records for administrators, otherwise the user's own. `?open=` shows one's receipt. */
export function UsageRecordsPage() {
  const { t } = useTranslation('usage-records');
  const scope = useHasAccess('records.read') ? 'everybody' : 'own';
  const list = useListState(filterNames, NEWEST_FIRST);
  const setParams = useSetSearchParams();
  const [opened, setOpened] = useSearchParam('open');
  const [live, setLive] = useState(false);
  // Only the first page can be live; changing the page ends it.
  const watching = live && list.page === 1;
  const watch = (on: boolean) => {
    setLive(on);
    if (on) setParams({ page: undefined, order: undefined });
  };
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <LiveButton live={watching} onChange={watch} />
            <ExportLink href={exportUrl(scope, recordFilter(scope, list.filters))} />
          </>
        }
      />
      <UsageRecordsTable scope={scope} list={list} live={watching} onOpen={(record) => setOpened(String(record.id))} />
      <RecordDrawer scope={scope} id={usageRecordId.safeParse(opened).data} onClose={() => setOpened(undefined)} />
    </>
  );
}

/** Turns on live mode, which refetches the newest records every two seconds while the page is visible. */
function LiveButton({ live, onChange }: { live: boolean; onChange: (live: boolean) => void }) {
  const { t } = useTranslation('usage-records');
  return (
    <Button
      variant="outlined"
      color="inherit"
      aria-pressed={live}
      onClick={() => onChange(!live)}
      startIcon={
        <Box
          component="span"
          sx={{
            width: 8,
            height: 8,
            borderRadius: '50%',
            bgcolor: live ? 'success.main' : 'text.disabled',
            '@keyframes pulse': { '50%': { opacity: 0.35 } },
            animation: live ? 'pulse 2s ease-out infinite' : 'none',
          }}
        />
      }
    >
      {t('live')}
    </Button>
  );
}
