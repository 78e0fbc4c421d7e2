import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import {
  builtInCommands,
  type CommandFields,
  commandFields,
  parseMode,
  type TelegramCommand,
} from '@switchyard/contract/operations/telegram';
import { useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { telegramQuery, useSaveCommand, useTestReply } from './queries.ts';

interface CommandEditorProps {
  open: boolean;
  /** Undefined for a new or deleted command. */
  command: TelegramCommand | undefined;
  isNew: boolean;
  onClose: () => void;
}

export function CommandEditor({ open, command, isNew, onClose }: CommandEditorProps) {
  const { t } = useTranslation('telegram');
  return (
    <DetailDrawer open={open} onClose={onClose} title={t(isNew ? 'page.new' : 'command.editTitle')}>
      {isNew || command !== undefined ? (
        <CommandForm key={command?.id} command={command} onClose={onClose} />
      ) : (
        <EmptyState>{t('command.gone')}</EmptyState>
      )}
    </DetailDrawer>
  );
}

const blank: CommandFields = { command: '', description: '', parse_mode: 'text', reply_message: '', enabled: true };

function CommandForm({ command, onClose }: Pick<CommandEditorProps, 'command' | 'onClose'>) {
  const { t } = useTranslation(['telegram', 'common']);
  const save = useSaveCommand();
  const { id, ...values } = command ?? { ...blank, id: 0 as const };
  const contractForm = useContractForm({
    schema: commandFields,
    values,
    onSubmit: async (fields) => {
      await save.mutateAsync({ ...fields, id });
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  const known = builtInCommands.map((name) => `/${name}`).join(' ');
  return (
    <Form form={contractForm}>
      <TextInput
        control={control}
        name="command"
        label={t('command.command')}
        hint={t('command.commandHint')}
        help={t('command.commandHelp', { known })}
        mono
        autoFocus
      />
      <TextInput
        control={control}
        name="description"
        label={t('command.description')}
        hint={t('command.descriptionHint')}
      />
      <SelectInput
        control={control}
        name="parse_mode"
        label={t('command.type')}
        help={t('command.typeHelp')}
        options={toOptions(parseMode.options, (value) => t(`command.typeName.${value}`))}
      />
      <TextInput control={control} name="reply_message" label={t('command.content')} rows={6} />
      <ReplyTest control={control} />
      <SwitchInput control={control} name="enabled" label={t('command.enabled')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

/** Sends the entered reply to the user's own Telegram account, because only Telegram can render it. */
function ReplyTest({ control }: { control: Control<CommandFields> }) {
  const { t } = useTranslation('telegram');
  const sentence = useErrorText();
  const { data: own } = useQuery(telegramQuery);
  const { mutate, isPending, isError, error, data: plainBecause } = useTestReply();
  const [parse_mode, reply_message] = useWatch({ control, name: ['parse_mode', 'reply_message'] });
  const bound = own?.bound ?? null;
  return (
    <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
      <Button
        variant="outlined"
        color="inherit"
        size="small"
        disabled={bound === null || reply_message.trim() === ''}
        loading={isPending}
        onClick={() => mutate({ parse_mode, reply_message })}
      >
        {t('command.test')}
      </Button>
      {own !== undefined && bound === null && (
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>{t('command.testNeedsBinding')}</Box>
      )}
      <Box aria-live="polite" sx={{ width: '100%' }}>
        {isError && <Alert severity="error">{sentence(error)}</Alert>}
        {plainBecause === '' && <Alert severity="success">{t('command.tested')}</Alert>}
        {plainBecause !== undefined && plainBecause !== '' && (
          <Alert severity="warning">{t('command.testedPlain', { reason: plainBecause })}</Alert>
        )}
      </Box>
    </Box>
  );
}
