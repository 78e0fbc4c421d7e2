import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useTranslation } from 'react-i18next';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import { JobList } from './job-list.tsx';
import { LiveLog } from './live-log.tsx';
import { SystemFigures } from './system-figures.tsx';

const tabs = ['state', 'log', 'jobs'] as const;

/** Shows the server's state, log and background jobs. `?tab=` selects one. */
export function SystemInfoPage() {
  const { t } = useTranslation('system-info');
  const tab = oneOf(useSearchParams()['tab'], tabs) ?? 'state';
  const setSearch = useSetSearchParams();
  return (
    <>
      <PageHeader title={t('title')} />
      <Tabs
        value={tab}
        onChange={(_, next: (typeof tabs)[number]) => setSearch({ tab: next === 'state' ? undefined : next }, 'push')}
        aria-label={t('title')}
        sx={{ mb: 2 }}
      >
        {tabs.map((name) => (
          <Tab key={name} value={name} label={t(`tab.${name}`)} />
        ))}
      </Tabs>
      {tab === 'state' && <SystemFigures />}
      {tab === 'log' && <LiveLog />}
      {tab === 'jobs' && <JobList />}
    </>
  );
}
