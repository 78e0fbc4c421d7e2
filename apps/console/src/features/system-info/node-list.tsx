import type { SystemState } from '@switchyard/contract/system-info';
import { useTranslation } from 'react-i18next';
import { ListRow, RowList } from '../../ui/list-row.tsx';
import { Mono } from '../../ui/mono.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { useFormat } from '../../ui/use-format.ts';

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
