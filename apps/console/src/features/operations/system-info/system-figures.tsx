import Box from '@mui/material/Box';
import {
  CERTIFICATE_WARN_DAYS,
  type Certificate,
  type Job,
  type SystemState,
} from '@switchyard/contract/operations/system-info';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type DescriptionEntry, DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { JobOutcomeChip } from './job-list.tsx';
import { jobsQuery, systemQuery } from './queries.ts';

/** Shows the process, its load and its database; refetched every few seconds. */
export function SystemFigures() {
  const { t } = useTranslation('system-info');
  const { data, error, refetch } = useQuery(systemQuery);
  const jobs = useQuery(jobsQuery).data ?? [];
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={480} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Box sx={cards}>
        <SectionCard title={t('card.process')}>
          <Process state={data} />
        </SectionCard>
        <SectionCard title={t('card.load')}>
          <Load state={data} />
        </SectionCard>
        <SectionCard title={t('card.database')}>
          <Stored state={data} jobs={jobs} />
        </SectionCard>
      </Box>
      {data.nodes.length > 0 && (
        <SectionCard title={t('card.nodes')}>
          <NodeList nodes={data.nodes} />
        </SectionCard>
      )}
      <SectionCard title={t('card.certificates')}>
        <CertificateList certificates={data.certificates} now={data.now} />
      </SectionCard>
    </Box>
  );
}

interface Of {
  state: SystemState;
}

function Process({ state: { version, newest, node, node_version, started_at, now } }: Of) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  const facts: DescriptionEntry[] = [
    [t('version'), version],
    [t('newest'), <Newest key="newest" newest={newest} />],
    [t('node'), <Mono key="node">{node}</Mono>],
    [t('started'), format.moment(started_at)],
    [t('uptime'), format.duration((now - started_at) * 1000)],
    ['Node.js', node_version],
  ];
  return <DescriptionList facts={facts} />;
}

function Newest({ newest }: { newest: SystemState['newest'] }) {
  const { t } = useTranslation('system-info');
  if (newest === null) return t('notAsked');
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      {newest.version}
      {newest.is_newer && <StatusChip tone="info">{t('isNewer')}</StatusChip>}
      <Moment seconds={newest.asked_at} />
    </Box>
  );
}

function Load({ state: { event_loop, memory, requests, queues } }: Of) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  const facts: DescriptionEntry[] = [
    [
      t('overload'),
      requests.shedding ? (
        <StatusChip key="shedding" tone="error">
          {t('shedding')}
        </StatusChip>
      ) : (
        <StatusChip key="calm" tone="success">
          {t('calm')}
        </StatusChip>
      ),
    ],
    [t('running'), t('runningOf', { running: requests.running, held: requests.held })],
    [t('refused'), format.number(requests.refused)],
    [t('eventLoop'), t('delays', { p50: format.duration(event_loop.p50), p99: format.duration(event_loop.p99) })],
    [t('memory'), `${format.bytes(memory.rss)} · ${format.percent(memory.share)}`],
    [t('heap'), t('heapOf', { heap: format.bytes(memory.heap), external: format.bytes(memory.external) })],
    [t('mails'), t('mailsOf', { waiting: queues.mail_waiting, failed: queues.mail_failed })],
  ];
  return <DescriptionList facts={facts} />;
}

type DatabaseFile = NonNullable<SystemState['database']['file']>;

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function Stored({ state: { database }, jobs }: Of & { jobs: readonly Job[] }) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  const checkOf = (name: Job['name']) => {
    const last = jobs.find((job) => job.name === name)?.last ?? null;
    if (last === null) return UNKNOWN;
    return (
      <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <JobOutcomeChip last={last} />
        <Moment seconds={last.started_at} />
      </Box>
    );
  };
  const factsOfFile = ({ wal_size, free_pages, page_size, journal_mode }: DatabaseFile): DescriptionEntry[] => [
    [t('walSize'), format.bytes(wal_size)],
    [
      t('freePages'),
      t('freePagesOf', { pages: format.number(free_pages), size: format.bytes(free_pages * page_size) }),
    ],
    [t('journal'), journal_mode.toUpperCase()],
  ];
  const { file, connections, replica } = database;
  const facts: DescriptionEntry[] = [
    [t('engine'), `${engineNames[database.engine]} ${database.engine_version}`],
    [t('size'), format.bytes(database.size)],
    ...(file === null ? [] : factsOfFile(file)),
    ...(connections === null ? [] : [[t('connections'), t('connectionsOf', connections)] satisfies DescriptionEntry]),
    ...(replica === null
      ? []
      : [[t('replica'), <Replica key="replica" replica={replica} />] satisfies DescriptionEntry]),
    [t('migration'), <Mono key="migration">{database.migration}</Mono>],
    [t('books'), checkOf('check-books')],
    [t('auditLog'), checkOf('check-audit-log')],
  ];
  return <DescriptionList facts={facts} />;
}

const replicaTones = { 'in-use': 'success', behind: 'warning', away: 'error', unfit: 'error' } as const;

function Replica({ replica: { use, lag } }: { replica: NonNullable<SystemState['database']['replica']> }) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      <StatusChip tone={replicaTones[use]}>{t(`replicaUse.${use}`)}</StatusChip>
      {lag !== null && t('replicaLag', { time: format.duration(lag) })}
    </Box>
  );
}

const cards = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(3, minmax(0, 1fr))' },
} as const;

/** Lists the nodes that share the database. */
function NodeList({ nodes }: { nodes: SystemState['nodes'] }) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  return (
    <RowList label={t('card.nodes')}>
      {nodes.map(({ id, name, version, started_at, is_alive }) => (
        <ListRow
          key={id}
          title={<Mono>{name}</Mono>}
          text={[version, t('nodeState.since', { moment: format.moment(started_at) })]
            .filter((part) => part !== '')
            .join(' · ')}
          actions={
            <StatusChip tone={is_alive ? 'success' : 'error'}>
              {t(is_alive ? 'nodeState.alive' : 'nodeState.silent')}
            </StatusChip>
          }
        />
      ))}
    </RowList>
  );
}

interface CertificateListProps {
  certificates: readonly Certificate[];
  /** UTC seconds. */
  now: number;
}

const DAY = 86_400;

/** Lists the hosts that channels call, sorted by the expiry of their certificates. */
function CertificateList({ certificates, now }: CertificateListProps) {
  const { t } = useTranslation('system-info');
  if (certificates.length === 0) return <EmptyState>{t('certificate.none')}</EmptyState>;
  const sorted = certificates.toSorted(
    (one, other) => (one.valid_until ?? Number.MAX_VALUE) - (other.valid_until ?? Number.MAX_VALUE),
  );
  return (
    <RowList label={t('card.certificates')}>
      {sorted.map((certificate) => (
        <Row key={certificate.host} certificate={certificate} now={now} />
      ))}
    </RowList>
  );
}

function Row({ certificate, now }: { certificate: Certificate; now: number }) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  const { host, channels, problem, issuer, valid_until: end, checked_at } = certificate;
  const days = end === null ? undefined : Math.floor((end - now) / DAY);
  const said = [
    t('certificate.channels', { count: channels }),
    issuer,
    end === null ? '' : t('certificate.until', { day: format.day(end) }),
    problem === '' ? '' : t(`certificate.problem.${problem}`),
    checked_at === null ? t('certificate.notYet') : '',
  ];
  return (
    <ListRow
      title={<Mono>{host}</Mono>}
      text={said.filter((part) => part !== '').join(' · ')}
      actions={
        days !== undefined && (
          <StatusChip tone={toneOf(days)}>
            {days < 0 ? t('certificate.ended') : t('certificate.days', { count: days })}
          </StatusChip>
        )
      }
    />
  );
}

function toneOf(days: number): Tone {
  if (days < 0) return 'error';
  return days < CERTIFICATE_WARN_DAYS ? 'warning' : 'success';
}
