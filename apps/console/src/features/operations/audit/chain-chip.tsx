import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { auditStateQuery } from './queries.ts';

/** Shows whether the audit log's hash chain is intact, so that every entry is unchanged. */
export function ChainChip() {
  const { t } = useTranslation('audit');
  const state = useQuery(auditStateQuery).data;
  if (state === undefined) return null;
  return state.intact ? (
    <StatusChip tone="success" hint={t('intactHint', { count: state.entries })}>
      {t('intact')}
    </StatusChip>
  ) : (
    <StatusChip tone="error" hint={t('brokenHint')}>
      {t('broken', { id: state.broken_id })}
    </StatusChip>
  );
}
