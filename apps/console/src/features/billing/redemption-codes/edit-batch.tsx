import Box from '@mui/material/Box';
import { type CodeBatch, updateBatch } from '@switchyard/contract/billing/redemption-codes';
import type { CodeBatchId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { MomentInput } from '../../../ui/inputs/date-time-input.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { NEVER } from './new-batch-defaults-and-redeem-url.ts';
import { batchQuery, useUpdateBatch } from './queries.ts';

export function EditBatch({ id, onClose }: { id: CodeBatchId; onClose: () => void }) {
  const { data: batch, error, refetch } = useQuery(batchQuery(id));
  if (batch === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <FixedTerms batch={batch} />
      <EditForm batch={batch} onClose={onClose} />
    </Box>
  );
}

/** Shows the values that cannot be changed after creation, and how many codes were redeemed. */
function FixedTerms({ batch }: { batch: CodeBatch }) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      <DescriptionList
        facts={[
          [t('worth'), <Money key="worth" points={batch.quota} />],
          [t('redeemed'), t('usedOf', { used: format.number(batch.used), total: format.number(batch.count) })],
          [t('forGroup'), batch.for_group === '' ? t('everybody') : <Mono key="for">{batch.for_group}</Mono>],
          [t('grantGroup'), batch.grant_group === '' ? t('noGroup') : <Mono key="grant">{batch.grant_group}</Mono>],
        ]}
      />
      <Box>
        <LinkButton
          size="small"
          color="inherit"
          to={paths.redemptionCodes}
          search={{ tab: 'codes', batch_id: String(batch.id) }}
        >
          {t('showCodes')}
        </LinkButton>
      </Box>
    </Box>
  );
}

function EditForm({ batch, onClose }: { batch: CodeBatch; onClose: () => void }) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const update = useUpdateBatch();
  const { id, name, expires_time, per_user, enabled } = batch;
  const contractForm = useContractForm({
    schema: updateBatch,
    values: { id, name, expires_time, per_user, enabled },
    onSubmit: async (body) => {
      await update.mutateAsync(body);
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} />
      <MomentInput control={control} name="expires_time" label={t('expires')} never={NEVER} />
      <NumberInput control={control} name="per_user" label={t('perUser')} hint={t('perUserHint')} />
      <SwitchInput control={control} name="enabled" label={t('enabled')} hint={t('enabledHint')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}
