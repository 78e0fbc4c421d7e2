import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { type ChannelKey, channelKeys } from '@switchyard/contract/channels/channel-keys';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useErrorText, useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { type ShownTest, TestResult } from '../channel-tests/test-results.tsx';
import { channelKeysQuery, testKey, useAddKeys, useRefreshChannels, useRemoveKey, useSwitchKey } from '../queries.ts';

interface ChannelKeysProps {
  channel: Channel;
  /** True to hide the title because the parent shows it. */
  untitled?: boolean;
}

/** Lists the channel's keys by their last characters, with their status and actions. */
export function ChannelKeys({ channel, untitled = false }: ChannelKeysProps) {
  const { t } = useTranslation('channels');
  const [adding, setAdding] = useState(false);
  const { data: keys, error, refetch } = useQuery(channelKeysQuery(channel.id));
  const tests = useKeyTests(channel.id);
  const inUse = keys?.filter(({ status }) => status === 'enabled').length ?? 0;
  return (
    <Box component="section" aria-label={t('keys.title')}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 1 }}>
        {!untitled && <Typography variant="h3">{t('keys.title')}</Typography>}
        <Box sx={{ flexGrow: 1 }} />
        <Button size="small" variant="outlined" color="inherit" onClick={() => setAdding(true)}>
          {t('keys.add')}
        </Button>
      </Box>
      {keys === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={60} />
      ) : (
        <Box
          component="ul"
          sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 0.5, m: 0, p: 0, listStyle: 'none' }}
        >
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              channel={channel}
              channelKey={key}
              isLast={key.status === 'enabled' && inUse < 2}
              tests={tests}
            />
          ))}
        </Box>
      )}
      <AddKeysDialog channel={channel} open={adding} onClose={() => setAdding(false)} />
    </Box>
  );
}

const tones: Record<ChannelKey['status'], Tone> = { enabled: 'success', disabled: 'neutral', 'auto-disabled': 'error' };

interface KeyRowProps {
  channel: Channel;
  channelKey: ChannelKey;
  /** True if this is the only enabled key, which must stay enabled. */
  isLast: boolean;
  tests: ReturnType<typeof useKeyTests>;
}

function KeyRow({ channel: { id }, channelKey: key, isLast, tests: { states, test } }: KeyRowProps) {
  const { t } = useTranslation(['channels', 'common']);
  const notifyError = useNotifyError();
  const change = useSwitchKey();
  const remove = useRemoveKey();
  const name = `…${key.hint}`;
  const isUsed = key.status === 'enabled';
  const resting = isUsed && key.rests_until > 0;
  const turn = () =>
    change.mutate(
      { id, key: key.id, inUse: !isUsed },
      { onSuccess: () => notify('success', t(isUsed ? 'keys.stopped' : 'keys.used', { name })), onError: notifyError },
    );
  return (
    <Box
      component="li"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, fontSize: '0.8125rem' }}
    >
      <Mono>{name}</Mono>
      <Box sx={{ flexGrow: 1 }} />
      <Box component="span" aria-live="polite">
        <TestResult state={states.get(key.id)} />
      </Box>
      <StatusChip tone={resting ? 'warning' : tones[key.status]}>
        {resting ? t('resting') : t(`keys.status.${key.status}`)}
      </StatusChip>
      <MoreMenu
        entries={[
          { label: t('test.verb'), onSelect: () => void test(key.id) },
          ...(isLast ? [] : [{ label: t(isUsed ? 'keys.stop' : 'keys.use'), onSelect: turn }]),
          ...(isLast
            ? []
            : [
                {
                  label: t('common:delete'),
                  danger: true,
                  apart: true,
                  question: { title: t('keys.deleteTitle', { name }), text: t('keys.deleteText') },
                  onConfirm: () => remove.mutateAsync({ id, key: key.id }),
                },
              ]),
        ]}
      />
      <KeyFacts channelKey={key} />
    </Box>
  );
}

function KeyFacts({ channelKey: { reason, since, rests_until } }: { channelKey: ChannelKey }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  if (since === 0 && rests_until === 0) return null;
  return (
    <Typography
      variant="caption"
      component="div"
      sx={{ width: '100%', color: 'text.secondary', overflowWrap: 'anywhere' }}
    >
      {since > 0 ? <Moment seconds={since} /> : t('health.restsUntil', { moment: format.moment(rests_until) })}
      {reason !== '' && ` · ${reason}`}
    </Typography>
  );
}

interface AddKeysDialogProps {
  channel: Channel;
  open: boolean;
  onClose: () => void;
}

function AddKeysDialog({ channel, open, onClose }: AddKeysDialogProps) {
  const { t } = useTranslation('channels');
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      {open && (
        <>
          <DialogTitle id={titleId}>{t('keys.add')}</DialogTitle>
          <AddKeysForm channel={channel} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

const KEY_ROWS = 4;

function AddKeysForm({ channel: { id }, onClose }: Omit<AddKeysDialogProps, 'open'>) {
  const { t } = useTranslation('channels');
  const add = useAddKeys();
  const contractForm = useContractForm({
    schema: channelKeys.add.body,
    values: { key: '' },
    onSubmit: async ({ key }) => {
      const { length } = await add.mutateAsync({ id, key });
      notify('success', t('keys.added', { count: length }));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <DialogContent sx={{ pb: 2 }}>
      <Form form={contractForm}>
        <SecretInput control={control} name="key" label={t('key')} hint={t('keys.addHint')} rows={KEY_ROWS} />
        <FormButtons verb={t('keys.add')} saving={formState.isSubmitting} onCancel={onClose} />
      </Form>
    </DialogContent>
  );
}

/** Tests single keys of a channel with its test model, until the component unmounts. */
function useKeyTests(id: ChannelId) {
  const sentence = useErrorText();
  const refresh = useRefreshChannels();
  const [states, setStates] = useState<ReadonlyMap<string, ShownTest>>(new Map());
  const abort = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    abort.current = controller;
    return () => controller.abort();
  }, []);

  const test = async (key: string) => {
    const { signal } = abort.current;
    const note = (result: ShownTest['result']) => setStates((before) => new Map(before).set(key, { result }));
    note(undefined);
    try {
      const { success, ...found } = await testKey(id, key, signal);
      note({ ...found, outcome: success ? 'passed' : 'failed' });
    } catch (error) {
      if (!signal.aborted) note({ outcome: 'failed', duration: 0, problem: null, message: sentence(error) });
    }
    await refresh();
  };
  return { states, test };
}
