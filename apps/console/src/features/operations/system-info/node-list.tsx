import type { SystemState } from '@switchyard/contract/operations/system-info';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';

/** Whoever runs on the same database. */
export function NodeList({ nodes }: { nodes: SystemState['nodes'] }) {
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
