import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { IconBrandTelegram } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { openInNewTab } from '../../../ui/browser/open-url.ts';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { beginTelegram, telegramQuery, useUnbindTelegram } from './queries.ts';

/** Links the user's Telegram account to the site's bot, if there is one. */
export function TelegramBinding() {
  const { t } = useTranslation('telegram');
  const { data, error, refetch } = useQuery(telegramQuery);
  const client = useQueryClient();
  const notifyError = useNotifyError();
  const [begun, setBegun] = useState<{ code: string; link: string }>();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={56} />;
  const { bot, bound } = data;
  if (bot === '' && bound === null) return null;
  const begin = async () => setBegun(await beginTelegram());
  const close = () => {
    setBegun(undefined);
    void client.invalidateQueries({ queryKey: telegramQuery.queryKey });
  };
  return (
    <>
      <RowList label={t('title')}>
        <ListRow
          icon={<IconBrandTelegram size={22} stroke={1.5} />}
          title={t('title')}
          text={
            bound === null ? (
              t('intro', { bot: `@${bot}` })
            ) : (
              <>
                <Name>{bound.label}</Name> · {t('boundSince')} <Moment seconds={bound.created_time} />
              </>
            )
          }
          actions={
            bound === null ? (
              <Button
                size="small"
                variant="outlined"
                color="inherit"
                onClick={() => void begin().catch(notifyError)}
                aria-label={t('dialogTitle')}
              >
                {t('bind')}
              </Button>
            ) : (
              <UnbindButton />
            )
          }
        />
      </RowList>
      <TextDialog open={begun !== undefined} onClose={close} title={t('dialogTitle')} maxWidth="sm">
        <Typography>{t('dialogText')}</Typography>
        {begun !== undefined && (
          <>
            <CodeBlock code={`/bind ${begun.code}`} label={t('bindCommand')} />
            <Button variant="outlined" color="inherit" onClick={() => openInNewTab(begun.link)}>
              {t('open')}
            </Button>
            <Typography>{t('dialogConfirm')}</Typography>
            <CodeBlock code="/bind confirm" label={t('confirmCommand')} />
          </>
        )}
      </TextDialog>
    </>
  );
}

function UnbindButton() {
  const { t } = useTranslation('telegram');
  const unbind = useUnbindTelegram();
  return (
    <ConfirmButton
      size="small"
      variant="outlined"
      aria-label={t('unbindTitle')}
      question={{ title: t('unbindTitle'), text: t('unbindText'), verb: t('unbind') }}
      onConfirm={async () => {
        await unbind.mutateAsync();
        notify('success', t('unbound'));
      }}
    >
      {t('unbind')}
    </ConfirmButton>
  );
}
