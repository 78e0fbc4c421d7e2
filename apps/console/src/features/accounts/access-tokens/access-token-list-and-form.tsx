import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { type AccessToken, accessTokens, createAccessToken } from '@switchyard/contract/accounts/access-tokens';
import { createClient } from '@switchyard/contract/client';
import type { AccessTokenId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { IconKey } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { MomentInput } from '../../../ui/inputs/date-time-input.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { useServerAddress } from '../../site/site/queries.ts';
import { useCurrentUser } from '../session/queries.ts';

/** Lists the access tokens of the management API that belong to the account. */
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
  const what = scopes === null ? t('everything') : scopes.map((scope) => t(`staff-roles:right.${scope}`)).join(', ');
  return read_only ? t('readsOnly', { what }) : what;
}

function NewTokenDialog({ token, onClose }: { token: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('access-tokens');
  const address = useServerAddress();
  return (
    <TextDialog open={token !== undefined} onClose={onClose} title={t('newTokenTitle')} maxWidth="sm">
      <Alert severity="warning">{t('newTokenText')}</Alert>
      {token !== undefined && (
        <>
          <CodeBlock code={token} label={t('theToken')} />
          <CodeBlock code={`curl ${address}/api/user/self \\\n  -H "Authorization: Bearer ${token}"`} />
        </>
      )}
    </TextDialog>
  );
}

const DAYS = 90;

interface AccessTokenEditorProps {
  open: boolean;
  onClose: () => void;
  onCreated: (token: string) => void;
}

function AccessTokenEditor({ open, onClose, onCreated }: AccessTokenEditorProps) {
  const { t } = useTranslation('access-tokens');
  return (
    <DetailDrawer open={open} onClose={onClose} title={t('new')}>
      {open && <NewTokenForm onClose={onClose} onCreated={onCreated} />}
    </DetailDrawer>
  );
}

function NewTokenForm({ onClose, onCreated }: Omit<AccessTokenEditorProps, 'open'>) {
  const { t } = useTranslation(['access-tokens', 'staff-roles']);
  const create = useCreateAccessToken();
  const [inTime] = useState(() => Math.floor(Date.now() / 1000) + DAYS * 86_400);
  const rights = useCurrentUser()?.rights ?? [];
  const contractForm = useContractForm<z.output<typeof createAccessToken>>({
    schema: createAccessToken,
    values: { name: '', scopes: ['user'], read_only: true, expires_time: inTime },
    onSubmit: async (body) => onCreated((await create.mutateAsync(body)).token),
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} autoFocus />
      <CheckChipsInput
        control={control}
        name="scopes"
        label={t('scopes')}
        hint={t('scopesHint')}
        options={toOptions(rights, (value) => t(`staff-roles:right.${value}`))}
      />
      <SwitchInput control={control} name="read_only" label={t('readOnly')} hint={t('readOnlyHint')} />
      <MomentInput control={control} name="expires_time" label={t('ends')} never={0} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

const api = createClient(accessTokens, send);
const all = ['access-tokens'] as const;

type NewAccessToken = RouteCall<typeof accessTokens.create>['body'];

const accessTokensQuery = queryOptions({ queryKey: all, queryFn: ({ signal }) => api.list({}, signal) });

/** Creates an access token. The response is not cached, because the token is shown only once. */
const useCreateAccessToken = () => useListChange(all, (body: NewAccessToken) => withStepUp(() => api.create({ body })));

const useRemoveAccessToken = () => useListChange(all, (id: AccessTokenId) => api.remove({ params: { id } }));
