import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { AccessToken } from '@switchyard/contract/accounts/access-tokens';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment } from '../../../ui/display/moment.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { AccessTokenEditor } from './access-token-editor.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { accessTokensQuery, useRemoveAccessToken } from './queries.ts';

/** The tokens by which scripts manage this account. */
export function AccessTokenList() {
  const { t } = useTranslation('access-tokens');
  const { data: tokens, error, refetch } = useQuery(accessTokensQuery);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  if (tokens === undefined) return <PendingPanel error={error} refetch={refetch} height={80} />;
  return (
    <Box sx={{ display: 'grid', gap: 1.5, justifyItems: 'start' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('intro')}
      </Typography>
      {tokens.length > 0 && (
        <RowList label={t('title')}>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </RowList>
      )}
      <Button variant="outlined" color="inherit" onClick={() => setMaking(true)}>
        {t('create')}
      </Button>
      <AccessTokenEditor
        open={making}
        onClose={() => setMaking(false)}
        onCreated={(token) => {
          setMaking(false);
          setMade(token);
        }}
      />
      <NewTokenDialog token={made} onClose={() => setMade(undefined)} />
    </Box>
  );
}

function TokenRow({ token }: { token: AccessToken }) {
  const { t } = useTranslation('access-tokens');
  const remove = useRemoveAccessToken();
  const name = token.name === '' ? t('unnamed') : token.name;
  return (
    <ListRow
      icon={<IconKey size={22} stroke={1.5} />}
      title={
        <>
          {name} <Mono>…{token.hint}</Mono>
        </>
      }
      chip={token.expired && <StatusChip tone="neutral">{t('over')}</StatusChip>}
      text={
        <>
          <TokenScope token={token} /> · {token.last_used_time === 0 ? t('neverUsed') : t('lastUsed')}{' '}
          {token.last_used_time !== 0 && <Moment seconds={token.last_used_time} />}
          <br />
          {token.expires_time === 0 ? t('neverEnds') : t('ends')}{' '}
          {token.expires_time !== 0 && <Moment seconds={token.expires_time} />}
        </>
      }
      actions={
        <ConfirmButton
          size="small"
          variant="outlined"
          aria-label={t('endOf', { name })}
          question={{ title: t('endTitle', { name }), text: t('endText'), verb: t('end') }}
          onConfirm={async () => {
            await remove.mutateAsync(token.id);
            notify('success', t('ended', { name }));
          }}
        >
          {t('end')}
        </ConfirmButton>
      }
    />
  );
}

function TokenScope({ token: { scopes, read_only } }: { token: AccessToken }) {
  const { t } = useTranslation(['access-tokens', 'staff-roles']);
  const what =
    scopes === null ? t('everything') : scopes.map((scope) => t(`staff-roles:right.${scope}`)).join(', ');
  return read_only ? t('readsOnly', { what }) : what;
}
