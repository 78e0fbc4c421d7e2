import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { Identity, IdentityProvider } from '@switchyard/contract/accounts/identities';
import { ApiError } from '@switchyard/contract/http-exchange';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { ProviderIcon, useStartIdentitySignIn } from './identity-provider-buttons.tsx';
import { useOfferedProviders, useProviderName } from './identity-providers-and-callbacks.ts';
import { identitiesQuery, useBindWechat, useUnbindIdentity } from './queries.ts';
import { WechatDialog } from './wechat-dialog.tsx';

/** Lists the account's linked identities and the providers that can be linked. */
export function IdentityList() {
  const { t } = useTranslation('identities');
  const { data: bound, error, refetch } = useQuery(identitiesQuery);
  const offered = useOfferedProviders();
  const { busy, begin, typing, stopTyping } = useStartIdentitySignIn();
  const bindWechat = useBindWechat();
  const nameOf = useProviderName();
  if (bound === undefined) return <PendingPanel error={error} refetch={refetch} height={80} />;
  const shown = new Set([...offered, ...bound.map(({ provider }) => provider)]);
  if (shown.size === 0)
    return (
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('noneOffered')}
      </Typography>
    );
  return (
    <>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1 }}>
        {t('intro')}
      </Typography>
      <RowList label={t('title')}>
        {[...shown].map((provider) => (
          <Row key={provider} provider={provider} identity={bound.find((one) => one.provider === provider)}>
            <Button
              size="small"
              variant="outlined"
              color="inherit"
              loading={busy === provider}
              onClick={() => begin(provider)}
              aria-label={t('bindOf', { name: nameOf(provider) })}
            >
              {t('bind')}
            </Button>
          </Row>
        ))}
      </RowList>
      {typing && (
        <WechatDialog
          verb={t('bind')}
          onCode={async (code) => {
            await bindWechat.mutateAsync(code);
            notify('success', t('bound', { name: nameOf('wechat') }));
            stopTyping();
          }}
          onClose={stopTyping}
        />
      )}
    </>
  );
}

interface RowProps {
  provider: IdentityProvider;
  identity: Identity | undefined;
  /** Content that is shown while no identity is linked. */
  children: ReactNode;
}

function Row({ provider, identity, children }: RowProps) {
  const { t } = useTranslation('identities');
  const name = useProviderName()(provider);
  return (
    <ListRow
      icon={<ProviderIcon provider={provider} />}
      title={name}
      text={identity === undefined ? t('notBound') : <BoundAs identity={identity} />}
      actions={identity === undefined ? children : <UnbindButton provider={provider} name={name} />}
    />
  );
}

function BoundAs({ identity: { label, created_time } }: { identity: Identity }) {
  const { t } = useTranslation('identities');
  return (
    <>
      {label !== '' && (
        <>
          <Name>{label}</Name> ·{' '}
        </>
      )}
      {t('boundSince')} <Moment seconds={created_time} />
    </>
  );
}

function UnbindButton({ provider, name }: { provider: IdentityProvider; name: string }) {
  const { t } = useTranslation('identities');
  const unbind = useUnbindIdentity();
  return (
    <ConfirmButton
      size="small"
      variant="outlined"
      aria-label={t('unbindOf', { name })}
      question={{ title: t('unbindTitle', { name }), text: t('unbindText', { name }), verb: t('unbind') }}
      onConfirm={async () => {
        try {
          await unbind.mutateAsync(provider);
          notify('success', t('unbound', { name }));
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
          notify('error', t('lastWayIn'));
        }
      }}
    >
      {t('unbind')}
    </ConfirmButton>
  );
}
