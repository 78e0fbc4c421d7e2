import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { UsageRecordId } from '@switchyard/contract/ids';
import type { UsageRecordDetail } from '@switchyard/contract/usage/usage-records';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment, Money } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { RecordReceipt } from './charge-receipt.tsx';
import { recordQuery, type Scope } from './queries.ts';
import { RecordFacts } from './record-details.tsx';
import { isCall, RecordTypeChip } from './record-type-and-speed.tsx';

interface RecordDrawerProps {
  scope: Scope;
  id: UsageRecordId | undefined;
  onClose: () => void;
}

/** Shows a record's receipt, latency, attempts and other details. */
export function RecordDrawer({ scope, id, onClose }: RecordDrawerProps) {
  return (
    <DetailDrawer
      open={id !== undefined}
      onClose={onClose}
      width={600}
      title={id === undefined ? '' : <Title scope={scope} id={id} />}
    >
      {id !== undefined && <Details scope={scope} id={id} />}
    </DetailDrawer>
  );
}

type One = { scope: Scope; id: UsageRecordId };

function Title({ scope, id }: One) {
  const { t } = useTranslation('usage-records');
  const record = useQuery(recordQuery(scope, id)).data;
  if (record === undefined) return <Skeleton width={200} />;
  return record.model_name === '' ? t(`typeName.${record.type}`) : <Mono>{record.model_name}</Mono>;
}

function Details({ scope, id }: One) {
  const { data: record, error, refetch } = useQuery(recordQuery(scope, id));
  if (record === undefined) return <PendingPanel error={error} refetch={refetch} height={360} />;
  return <Receipt record={record} />;
}

function Receipt({ record }: { record: UsageRecordDetail }) {
  const { t } = useTranslation('usage-records');
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <Head record={record} />
      {record.requested_model !== '' && (
        <Typography variant="body2" sx={{ mt: -2, color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {t('stoodIn', { asked: record.requested_model, answered: record.model_name })}
        </Typography>
      )}
      {record.content !== '' && (
        <Typography
          variant="body2"
          sx={{
            p: 1.5,
            borderRadius: 1,
            overflowWrap: 'anywhere',
            bgcolor: record.type === 'error' ? 'error.soft' : 'neutral.soft',
            color: record.type === 'error' ? 'error.onSoft' : 'neutral.onSoft',
          }}
        >
          {record.content}
        </Typography>
      )}
      {isCall(record) && record.request_time > 0 && (
        <Part title={t('whereTime')}>
          <LatencyBar record={record} />
        </Part>
      )}
      {record.attempts.length > 0 && (
        <Part title={t('attempts')}>
          <AttemptTimeline attempts={record.attempts} total={record.request_time} />
        </Part>
      )}
      {record.receipt !== null && (
        <Part title={t('receipt')}>
          <RecordReceipt receipt={record.receipt} group={record.group} />
        </Part>
      )}
      <Part title={t('details')}>
        <RecordFacts record={record} />
      </Part>
    </Box>
  );
}

function Head({ record }: { record: UsageRecordDetail }) {
  const { t } = useTranslation('usage-records');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      <RecordTypeChip record={record} />
      {record.is_stream && (
        <StatusChip tone="neutral" dot={false}>
          {t('streamed')}
        </StatusChip>
      )}
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        <Moment seconds={record.created_at} />
      </Typography>
      <Box sx={{ flexGrow: 1 }} />
      <Typography variant="h4" component="span" sx={{ fontVariantNumeric: 'tabular-nums' }}>
        <Money points={record.quota} />
      </Typography>
    </Box>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box component="section" sx={{ minWidth: 0 }}>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {title}
      </Typography>
      {children}
    </Box>
  );
}

const colours: Record<LatencyPart['name'], string> = {
  before: 'warning.main',
  waiting: 'info.main',
  streaming: 'primary.main',
};

/** Shows the parts of the latency to scale, each with its duration. */
function LatencyBar({ record }: { record: UsageRecordDetail }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const parts = latencyParts(record);
  return (
    <Box sx={{ display: 'grid', gap: 1, fontSize: '0.8125rem', fontVariantNumeric: 'tabular-nums' }}>
      <Box aria-hidden sx={{ display: 'flex', gap: '2px', height: 8, borderRadius: 999, overflow: 'hidden' }}>
        {parts.map(({ name, duration }) => (
          <Box key={name} style={{ flexGrow: duration }} sx={{ minWidth: 3, bgcolor: colours[name] }} />
        ))}
      </Box>
      <Box component="ul" sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2.5, rowGap: 0.5, m: 0, p: 0 }}>
        {parts.map(({ name, duration }) => (
          <Box component="li" key={name} sx={{ display: 'flex', alignItems: 'center', gap: 0.75, listStyle: 'none' }}>
            <Box component="span" sx={{ width: 8, height: 8, borderRadius: 0.5, bgcolor: colours[name] }} />
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {t(`latency.${name}`)}
            </Box>
            {format.duration(duration)}
          </Box>
        ))}
        <Box component="li" sx={{ listStyle: 'none', ml: 'auto', fontWeight: 500 }}>
          {t('latency.total', { duration: format.duration(record.request_time) })}
        </Box>
      </Box>
    </Box>
  );
}

interface LatencyPart {
  name: 'before' | 'waiting' | 'streaming';
  /** Milliseconds. */
  duration: number;
}

/**
 * Splits a call's latency into the time before the last attempt, the time to the first byte and the streaming
 * time. Users who cannot see attempts get the first two as one part.
 */
export function latencyParts(
  record: Pick<UsageRecordDetail, 'request_time' | 'first_byte_time' | 'attempts'>,
): LatencyPart[] {
  const { request_time: end, first_byte_time, attempts } = record;
  const firstByte = first_byte_time === 0 ? end : Math.min(first_byte_time, end);
  const before = Math.min(attempts.at(-1)?.started_after ?? 0, firstByte);
  const parts: LatencyPart[] = [
    { name: 'before', duration: before },
    { name: 'waiting', duration: firstByte - before },
    { name: 'streaming', duration: end - firstByte },
  ];
  return parts.filter(({ duration }) => duration > 0);
}
