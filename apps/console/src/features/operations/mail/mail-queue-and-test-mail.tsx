import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { createClient } from '@switchyard/contract/client';
import { ApiError, type Send } from '@switchyard/contract/http-exchange';
import { type MailEntry, mail, mailAddress } from '@switchyard/contract/operations/mail';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';

/** Lists the pending and failed mails, newest first. */
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

/** Sends a mail with the saved settings and shows the mail server's response. */
export function MailTest() {
  const { t } = useTranslation('mail');
  const [to, setTo] = useState('');
  const test = useTestMail();
  const isAddress = mailAddress.safeParse(to).success;
  const sendTest = () => {
    if (isAddress && !test.isPending) test.mutate(to);
  };
  // The input is inside the settings form, which Enter would submit.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    sendTest();
  };
  return (
    <Box sx={{ display: 'grid', gap: 1.5, pt: 2, borderTop: 1, borderColor: 'divider' }}>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'flex-end', flexWrap: 'wrap' }}>
        <Box sx={{ flex: '1 1 240px', maxWidth: 320 }}>
          <FieldFrame label={t('test.to')} help={t('test.help')} error={undefined}>
            {({ id }) => (
              <OutlinedInput
                id={id}
                fullWidth
                type="email"
                value={to}
                onChange={(event) => setTo(event.target.value.trim())}
                onKeyDown={onKeyDown}
                autoComplete="email"
              />
            )}
          </FieldFrame>
        </Box>
        <Button variant="outlined" disabled={!isAddress} loading={test.isPending} onClick={sendTest}>
          {t('test.send')}
        </Button>
      </Box>
      <Box aria-live="polite">
        {test.isSuccess && <Alert severity="success">{t('test.sent', { response: test.data.response })}</Alert>}
        {test.isError && <TestFailure error={test.error} />}
      </Box>
    </Box>
  );
}

/** Shows the server's own message where it names the reason that the operator needs. */
function TestFailure({ error }: { error: Error }) {
  const { t } = useTranslation('mail');
  const sentence = useErrorText();
  const hasReason = error instanceof ApiError && (error.code === 'upstream-failed' || error.code === 'not-set-up');
  return (
    <Alert severity="error" sx={{ overflowWrap: 'anywhere' }}>
      {hasReason ? t('test.failed', { reason: error.message }) : sentence(error)}
    </Alert>
  );
}

/** Longer than the server's twenty seconds for a mail server. */
const TEST_DEADLINE_MS = 30_000;
const sendPatiently: Send = (request) => send(request, TEST_DEADLINE_MS);

const api = createClient(mail, send);
const testApi = createClient(mail, sendPatiently);

const SHOWN = 20;

/** Query for the newest pending and failed mails. */
const mailQueueQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: ({ signal }) => api.list({ query: { size: SHOWN } }, signal),
  refetchInterval: 10_000,
});

/** @returns the mail server's response */
function useTestMail() {
  return useMutation({ mutationFn: (to: string) => testApi.test({ body: { to } }) });
}
