import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';
import { catalogueNoticesQuery } from './queries.ts';

/** Shows when the list at the operator's address was last read, with the outcome, and when it is read next. */
export function RefreshStatus() {
  const { t } = useTranslation(['catalogue', 'errors']);
  const format = useFormat();
  const { data } = useQuery(catalogueNoticesQuery);
  const refresh = data?.refresh ?? null;
  if (refresh === null) return null;
  const { address, tried_time, read_time, next_time, problem } = refresh;
  const [time, next] = [format.moment(tried_time), format.moment(next_time)];
  if (problem === null)
    return (
      <Typography sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {t('refresh.read', { address, time, next })}
      </Typography>
    );
  return (
    <Alert severity="warning" sx={{ overflowWrap: 'anywhere' }}>
      <div>{t('refresh.failed', { address, time })}</div>
      <div>{t(`errors:server.${problem}`)}</div>
      <div>
        {t('refresh.next', { next })}{' '}
        {read_time === 0 ? t('refresh.never') : t('refresh.last', { time: format.moment(read_time) })}
      </div>
    </Alert>
  );
}
