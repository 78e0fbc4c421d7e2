import Alert from '@mui/material/Alert';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';
import { loadQuery } from '../../operations/load/queries.ts';

/** Says that new calls are refused, and of what there is too much. */
export function OverloadAlert() {
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
