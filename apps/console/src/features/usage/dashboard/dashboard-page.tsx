import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkToCopy } from '../../../ui/display/copyable-text.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { ErrorPanel, LinkAlert } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { clientSnippets, SnippetTabs } from '../../../ui/product/client-snippets.tsx';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import { useCurrentUser, useHasAccess } from '../../accounts/session/queries.ts';
import { useInviteLink } from '../../billing/top-up/queries.ts';
import { useCatalogueAlert } from '../../catalog/catalog-updates/queries.ts';
import { ownModelsQuery, preferredModel } from '../../catalog/models/queries.ts';
import { loadQuery } from '../../operations/load/queries.ts';
import { useServerAddress, useSite } from '../../site/site/queries.ts';
import { datesOf, defaultPeriod, type Period, periodStart, periods } from './daily-usage.ts';
import { FirstSteps, useSteps } from './first-steps.tsx';
import { ModelCharts } from './model-charts-and-table.tsx';
import { ModelStatusCard } from './model-status-card.tsx';
import { dashboardQuery, type Scope } from './queries.ts';
import { TodayStrip } from './today-strip.tsx';
import { FiguresRow, row } from './usage-figures-row.tsx';
import { ChoiceButtons, UsageTables } from './usage-tables.tsx';

/** Shows the usage of a period. `?days=` is its length; `?scope=everybody` is for administrators. */
export function DashboardPage() {
  const { t } = useTranslation('dashboard');
  const search = useSearchParams();
  const setSearch = useSetSearchParams();
  const seesEverybody = useHasAccess('overview.read');
  const alert = useCatalogueAlert();
  const steps = useSteps();
  const days = periods.find((period) => String(period) === search['days']) ?? defaultPeriod;
  const scope = seesEverybody ? (oneOf(search['scope'], ['everybody'] as const) ?? 'mine') : 'mine';
  usePrefetchQuery(dashboardQuery(scope, days));
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            {seesEverybody && (
              <ChoiceButtons
                label={t('whose')}
                value={scope}
                options={[
                  { value: 'mine', label: t('mine') },
                  { value: 'everybody', label: t('everybody') },
                ]}
                onChange={(next) => setSearch({ scope: next === 'mine' ? undefined : next })}
              />
            )}
            <ChoiceButtons
              label={t('period')}
              value={String(days)}
              options={periods.map((period) => ({ value: String(period), label: t('days', { count: period }) }))}
              onChange={(next) => setSearch({ days: next === String(defaultPeriod) ? undefined : next })}
            />
          </>
        }
      />
      {seesEverybody && <OverloadAlert />}
      {alert !== undefined && <LinkAlert {...alert} />}
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        {steps === undefined ? (
          // Prevents a layout shift when the steps appear above the rest.
          <Skeletons />
        ) : (
          <>
            {scope === 'mine' && <FirstSteps steps={steps} />}
            <TodayStrip scope={scope} />
            <Usage scope={scope} days={days} />
            {scope === 'mine' && <Starts />}
          </>
        )}
      </Box>
    </>
  );
}

function Usage({ scope, days }: { scope: Scope; days: Period }) {
  const { data, error, refetch, dataUpdatedAt } = useQuery(dashboardQuery(scope, days));
  const self = useCurrentUser();
  // The time of the response, because the current day may have changed since.
  const now = new Date(dataUpdatedAt);
  const dates = datesOf(days, now);
  const seesRecords = useHasAccess('records.read');
  // Administrators see all usage records, so the link filters by user.
  const mine: Record<string, string> =
    seesRecords && scope === 'mine' && self !== null ? { user_id: String(self.id) } : {};
  const search = { ...mine, start_timestamp: String(periodStart(days, now)) };
  if (data === undefined) {
    return error === null ? <Skeletons /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  }
  const called = data.current.requests + data.current.errors > 0;
  const begun = called || (self?.request_count ?? 0) > 0;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <FiguresRow data={data} dates={dates} search={search} />
      {data.days.length > 0 ? (
        <>
          <ModelCharts data={data} dates={dates} scope={scope} />
          <UsageTables days={data.days} dates={dates} search={search} />
        </>
      ) : (
        begun && <NoCalls />
      )}
    </Box>
  );
}

/** Shows how to connect programs, the models' status if it is public, and the invitation link. */
function Starts() {
  const published = useSite()?.status_page === true;
  return (
    <Box sx={starts}>
      <QuickStart />
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        {published && <ModelStatusCard />}
        <InviteCard />
      </Box>
    </Box>
  );
}

const starts = {
  display: 'grid',
  gap: 2,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
} as const;

function NoCalls() {
  const { t } = useTranslation('dashboard');
  return (
    <SectionCard>
      <EmptyState
        action={
          <LinkButton to={paths.playground} variant="contained">
            {t('toPlayground')}
          </LinkButton>
        }
      >
        {t('nothing')}
      </EmptyState>
    </SectionCard>
  );
}

function Skeletons() {
  return (
    <Box aria-busy sx={{ display: 'grid', gap: 2 }}>
      <Box sx={row}>
        {[0, 1, 2, 3, 4].map((index) => (
          <Skeleton key={index} variant="rounded" height={108} />
        ))}
      </Box>
      <Skeleton variant="rounded" height={364} />
      <Skeleton variant="rounded" height={480} />
    </Box>
  );
}

/** Warns that the server rejects new calls, with the load values. */
function OverloadAlert() {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const load = useQuery(loadQuery).data;
  if (load === undefined || !load.shedding) return null;
  return (
    <Alert severity="error" sx={{ mb: 2 }}>
      {t('overloaded', {
        delay: format.number(load.delay),
        memory: format.percent(load.memory),
        running: format.number(load.running),
        refused: format.number(load.refused),
      })}
    </Alert>
  );
}

function InviteCard() {
  const { t } = useTranslation('dashboard');
  const { data, error, refetch } = useInviteLink();
  return (
    <SectionCard
      title={t('invite')}
      actions={
        <LinkButton to={paths.topUp} size="small" color="inherit">
          {t('inviteTerms')}
        </LinkButton>
      }
    >
      {data === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={36} />
      ) : (
        <LinkToCopy link={data} what={t('inviteLink')} />
      )}
    </SectionCard>
  );
}

/** Shows the API's URL and a first call, in which the user enters a token. */
function QuickStart() {
  const { t } = useTranslation('dashboard');
  const address = useServerAddress();
  const model = preferredModel(useQuery(ownModelsQuery).data);
  return (
    <SectionCard
      title={t('quickStart')}
      actions={
        <LinkButton to={paths.apiKeys} size="small" color="inherit">
          {t('toTokens')}
        </LinkButton>
      }
    >
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('quickStartText')}
        </Typography>
        <LinkToCopy link={`${address}/v1`} what={t('baseUrl')} />
        {model !== undefined && (
          <SnippetTabs label={t('quickStart')} snippets={clientSnippets(address, t('yourToken'), model)} />
        )}
      </Box>
    </SectionCard>
  );
}
