import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { MailEntry } from '@switchyard/contract/operations/mail';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/chips.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { mailQueueQuery } from './queries.ts';

/** Mails that wait or failed, the newest first. */
export function MailQueue() {
  const { t } = useTranslation('mail');
  const { data: mails, error, refetch } = useQuery(mailQueueQuery);
  if (mails === undefined) return <PendingPanel error={error} refetch={refetch} height={64} />;
  const more = mails.total_count - mails.data.length;
  return (
    <Box>
      <Typography variant="h4" component="h3" sx={{ fontSize: '0.875rem', fontWeight: 500 }}>
        {t('queue.title')}
      </Typography>
      {mails.data.length === 0 ? (
        <Typography variant="body2" sx={{ color: 'text.secondary', pt: 1 }}>
          {t('queue.empty')}
        </Typography>
      ) : (
        <RowList label={t('queue.title')}>
          {mails.data.map((mail) => (
            <MailRow key={mail.id} mail={mail} />
          ))}
        </RowList>
      )}
      {more > 0 && (
        <Typography variant="body2" sx={{ color: 'text.secondary', pt: 1 }}>
          {t('queue.more', { count: more })}
        </Typography>
      )}
    </Box>
  );
}

function MailRow({ mail }: { mail: MailEntry }) {
  const { t } = useTranslation('mail');
  const waits = mail.state === 'waiting';
  return (
    <ListRow
      title={
        <>
          {mail.to} · <Mono>{mail.template}</Mono>
        </>
      }
      text={
        <>
          {t('queue.tries', { count: mail.tries })} · {waits && <>{t('queue.next')} </>}
          <Moment seconds={waits ? mail.next_try_time : mail.created_time} />
          {mail.last_error !== '' && <div>{mail.last_error}</div>}
        </>
      }
      actions={<StatusChip tone={waits ? 'info' : 'error'}>{t(`queue.${mail.state}`)}</StatusChip>}
    />
  );
}
