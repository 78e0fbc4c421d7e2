import Box from '@mui/material/Box';
import type { UsageRecordDetail } from '@switchyard/contract/usage/usage-records';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { CopyableId } from '../../../ui/display/copyable-text.tsx';
import { type DescriptionEntry, DescriptionList } from '../../../ui/display/description-list.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { useGroupName } from '../../accounts/user-groups/queries.ts';
import { isCall, tokensPerSecond } from './record-type-and-speed.tsx';

/** Shows a record's other details, with links to similar records. */
export function RecordFacts({ record }: { record: UsageRecordDetail }) {
  const { t } = useTranslation('usage-records');
  const groupName = useGroupName();
  const seesChannels = useHasAccess('records.read');
  const facts: DescriptionEntry[] = [];
  if (seesChannels)
    facts.push([
      t('user'),
      <Linked key="user" to={userPath(record.user_id)} log={{ user_id: String(record.user_id) }}>
        <Name id={record.user_id}>{record.username}</Name>
      </Linked>,
    ]);
  if (record.token_id !== null)
    facts.push([
      t('token'),
      <Linked key="token" log={{ token_id: String(record.token_id) }}>
        <Name id={record.token_id}>{record.token_name}</Name>
      </Linked>,
    ]);
  if (record.channel !== null)
    facts.push([
      t('channel'),
      <Linked
        key="channel"
        to={paths.channels}
        search={{ open: String(record.channel.id) }}
        log={{ channel_id: String(record.channel.id) }}
      >
        <Name id={record.channel.id}>{record.channel.name}</Name>
      </Linked>,
    ]);
  if (record.model_name !== '')
    facts.push([
      t('model'),
      <Linked key="model" log={{ model_name: record.model_name }}>
        <Mono>{record.model_name}</Mono>
      </Linked>,
    ]);
  if (record.group !== '') facts.push([t('group'), groupName(record.group)]);
  return (
    <DescriptionList facts={[...facts, ...useCallFacts(record), ...useMarginFacts(record), ...useIdFacts(record)]} />
  );
}

function useCallFacts(record: UsageRecordDetail): DescriptionEntry[] {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const safety: DescriptionEntry[] =
    record.safety.length === 0 ? [] : [[t('safety'), <SafetyFindings key="safety" record={record} />]];
  if (!isCall(record)) return safety;
  const speed = tokensPerSecond(record);
  const facts: DescriptionEntry[] = [
    [
      t('tokens'),
      t('tokensOf', {
        input: format.number(record.prompt_tokens),
        cached: format.number(record.cached_tokens),
        output: format.number(record.completion_tokens),
      }),
    ],
    [t('speed'), speed === undefined ? UNKNOWN : t('perSecond', { speed: format.number(speed, 1) })],
  ];
  if (record.batch !== '') facts.push([t('batch'), <CopyableId key="batch" text={record.batch} what={t('batch')} />]);
  if (record.overrun !== 0) facts.push([t('overrun'), t('overrunText', { amount: format.points(record.overrun) })]);
  facts.push([t('usageSource'), t(`source.${record.usage_source}`)]);
  // Failed calls are not charged.
  if (record.type === 'consume' && record.ending !== null) facts.push([t('ending'), t(`endingRule.${record.ending}`)]);
  if (record.dropped.length > 0) facts.push([t('dropped'), <Mono key="dropped">{record.dropped.join(', ')}</Mono>]);
  return [...facts, ...safety];
}

/** Lists the content safety rules that matched. */
function SafetyFindings({ record: { safety } }: { record: UsageRecordDetail }) {
  const { t } = useTranslation('usage-records');
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75 }}>
      {safety.map(({ rule, action, place, failed }) => (
        <StatusChip key={`${rule} ${place}`} tone="warning" dot={false}>
          {t('safetyFinding', {
            rule,
            place: t(`safetyPlace.${place}`),
            done: t(failed ? 'safetyFailed' : `safetyDone.${action}`),
          })}
        </StatusChip>
      ))}
    </Box>
  );
}

/** Returns the operator's cost and margin of the call; the server sends them only to administrators. */
function useMarginFacts({ quota, cost }: UsageRecordDetail): DescriptionEntry[] {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  if (cost === null) return [];
  const margin = quota - cost;
  const amount = format.points(margin);
  const share = quota === 0 ? undefined : format.percent(margin / quota);
  return [
    [t('ownCost'), format.points(cost)],
    [t('margin'), share === undefined ? amount : t('marginOf', { amount, share })],
  ];
}

function useIdFacts(record: UsageRecordDetail): DescriptionEntry[] {
  const { t } = useTranslation('usage-records');
  const id = (name: string, value: string): DescriptionEntry => [
    name,
    <CopyableId key={name} text={value} what={name} />,
  ];
  return [
    ...(record.source_ip === '' ? [] : [id(t('address'), record.source_ip)]),
    id(t('requestId'), record.request_id),
    id(t('recordId'), String(record.id)),
  ];
}

interface LinkedProps {
  /** Screen of the linked object, if it has one. */
  to?: string;
  search?: Record<string, string>;
  /** Filter for the other usage records of the linked object. */
  log: Record<string, string>;
  children: ReactNode;
}

function Linked({ to, search, log, children }: LinkedProps) {
  const { t } = useTranslation('usage-records');
  return (
    <>
      {to === undefined ? (
        children
      ) : (
        <Link to={to} {...(search === undefined ? {} : { search })}>
          {children}
        </Link>
      )}
      {' · '}
      <Link to={paths.usageRecords} search={log}>
        {t('itsRecords')}
      </Link>
    </>
  );
}
